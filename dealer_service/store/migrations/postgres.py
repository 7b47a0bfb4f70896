"""The tables of a store in PostgreSQL.

The lines of a log are the transcript, byte for byte, and public; secrets stand in `secrets`
alone, sealed. Plain tables and plain SQL: no extension, function, trigger or sequence, so that
CockroachDB and YugabyteDB can take them. Numbers that must rise in the order in which their rows
become visible come from `counters`, whose row is locked until the commit. A log's owner is a node
by its name and incarnation; '' and 0 where nobody has it. Its `tournament` is that which it is a
table of, or it is one itself: all of them have one owner. A log's `meta` stands beside its row,
which is written anew with every append. Nodes with is_node false stand for
stores that write without having joined; times are ms since 1970 by the database's clock. In
`archiving` are archived logs of which some is left to be deleted. The ids of notices are any
numbers: to count them, nodes would have to wait for each other.
"""

from typing import Final

from dealer_service.store.migrations import Step

POSTGRES: Final = (
    Step(
        1,
        "make the tables",
        (
            """
CREATE TABLE logs (
  id bigint PRIMARY KEY,
  log text NOT NULL UNIQUE,
  next_index bigint NOT NULL,
  epoch bigint NOT NULL,
  fold_from bigint,
  signed_size bigint NOT NULL,
  signed_root bytea,
  state text NOT NULL
    CHECK (state IN ('open', 'paused', 'closed', 'revealed', 'lost', 'archived')),
  owner text NOT NULL,
  incarnation bigint NOT NULL,
  opened_at bigint NOT NULL,
  hands bigint NOT NULL,
  players bigint NOT NULL,
  previous text NOT NULL,
  next text NOT NULL,
  CHECK ((signed_size = 0) = (signed_root IS NULL)),
  CHECK (signed_size <= next_index OR state = 'lost')
)""",
            "CREATE INDEX logs_by_state ON logs (state, id)",
            """
CREATE TABLE metas (
  log bigint PRIMARY KEY,
  meta bytea NOT NULL
)""",
            """
CREATE TABLE lines (
  log bigint NOT NULL,
  idx bigint NOT NULL,
  line bytea NOT NULL,
  PRIMARY KEY (log, idx)
)""",
            """
CREATE TABLE checkpoints (
  log bigint NOT NULL,
  size bigint NOT NULL,
  note text NOT NULL,
  PRIMARY KEY (log, size)
)""",
            """
CREATE TABLE secrets (
  log bigint NOT NULL,
  hand bigint NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (log, hand)
)""",
            """
CREATE TABLE spent (
  log bigint NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (log, value)
)""",
            """
CREATE TABLE archiving (
  log bigint PRIMARY KEY
)""",
            """
CREATE TABLE answers (
  scope text NOT NULL,
  caller text NOT NULL,
  request_id text NOT NULL,
  digest bytea NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (scope, caller, request_id)
)""",
            """
CREATE TABLE movements (
  id bigint PRIMARY KEY,
  log text NOT NULL,
  idx bigint NOT NULL,
  at bigint NOT NULL,
  what text NOT NULL,
  player text NOT NULL,
  seat bigint NOT NULL,
  amount bigint NOT NULL,
  reference text NOT NULL
)""",
            """
CREATE TABLE nodes (
  name text PRIMARY KEY,
  is_node boolean NOT NULL,
  address text NOT NULL,
  incarnation bigint NOT NULL,
  expires_at bigint NOT NULL,
  changes bigint NOT NULL,
  settled bigint NOT NULL
)""",
            """
CREATE TABLE counters (
  name text PRIMARY KEY,
  value bigint NOT NULL
)""",
            "INSERT INTO counters (name, value) VALUES ('logs', 0), ('movements', 0), ('beats', 0)",
        ),
    ),
    Step(
        2,
        "keep notices for the dealer's log",
        (
            """
CREATE TABLE notices (
  id bigint PRIMARY KEY,
  log bigint NOT NULL,
  hand bigint NOT NULL,
  stage text NOT NULL,
  size bigint NOT NULL,
  root bytea NOT NULL,
  at bigint NOT NULL
)""",
            "CREATE INDEX notices_by_age ON notices (at, log, size, stage)",
        ),
    ),
    Step(
        3,
        "let games be the tables of a tournament",
        (
            "ALTER TABLE logs ADD COLUMN tournament text NOT NULL DEFAULT ''",
            "CREATE INDEX logs_of_tournaments ON logs (tournament, id) WHERE tournament <> ''",
            "CREATE INDEX tournaments ON logs (id) WHERE tournament = log",
        ),
    ),
)
