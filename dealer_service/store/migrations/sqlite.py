"""The tables of the SQLite store.

Every table is STRICT. The lines of a log are the transcript, byte for byte, and public; secrets
stand in `secrets` alone, sealed. The file's user_version is the version.
"""

from typing import Final

from dealer_service.store.migrations import Step

SQLITE: Final = (
    Step(
        1,
        "make the tables",
        (
            """
CREATE TABLE logs (
  id INTEGER PRIMARY KEY,
  log TEXT NOT NULL UNIQUE,
  next_index INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  fold_from INTEGER,
  signed_size INTEGER NOT NULL,
  signed_root BLOB,
  state TEXT NOT NULL CHECK (state IN ('open', 'paused', 'closed', 'revealed', 'lost')),
  meta BLOB NOT NULL,
  opened_at INTEGER NOT NULL,
  hands INTEGER NOT NULL,
  players INTEGER NOT NULL,
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  CHECK ((signed_size = 0) = (signed_root IS NULL)),
  CHECK (signed_size <= next_index OR state = 'lost')
) STRICT""",
            "CREATE INDEX logs_by_state ON logs (state, id)",
            """
CREATE TABLE lines (
  log INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  line BLOB NOT NULL,
  PRIMARY KEY (log, idx)
) STRICT, WITHOUT ROWID""",
            """
CREATE TABLE checkpoints (
  log INTEGER NOT NULL,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (log, size)
) STRICT, WITHOUT ROWID""",
            """
CREATE TABLE secrets (
  log INTEGER NOT NULL,
  hand INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (log, hand)
) STRICT, WITHOUT ROWID""",
            """
CREATE TABLE spent (
  log INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (log, value)
) STRICT, WITHOUT ROWID""",
            """
CREATE TABLE answers (
  scope TEXT NOT NULL,
  caller TEXT NOT NULL,
  request_id TEXT NOT NULL,
  digest BLOB NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (scope, caller, request_id)
) STRICT, WITHOUT ROWID""",
            """
CREATE TABLE movements (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT,
  log TEXT NOT NULL,
  idx INTEGER NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  player TEXT NOT NULL,
  seat INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  reference TEXT NOT NULL
) STRICT""",
        ),
    ),
    # SQLite has no other way to change a CHECK than a new table.
    Step(
        2,
        "let a finished log be archived",
        (
            """
CREATE TABLE logs_of_2 (
  id INTEGER PRIMARY KEY,
  log TEXT NOT NULL UNIQUE,
  next_index INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  fold_from INTEGER,
  signed_size INTEGER NOT NULL,
  signed_root BLOB,
  state TEXT NOT NULL
    CHECK (state IN ('open', 'paused', 'closed', 'revealed', 'lost', 'archived')),
  meta BLOB NOT NULL,
  opened_at INTEGER NOT NULL,
  hands INTEGER NOT NULL,
  players INTEGER NOT NULL,
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  CHECK ((signed_size = 0) = (signed_root IS NULL)),
  CHECK (signed_size <= next_index OR state = 'lost')
) STRICT""",
            "INSERT INTO logs_of_2 SELECT * FROM logs",
            "DROP TABLE logs",
            "ALTER TABLE logs_of_2 RENAME TO logs",
            "CREATE INDEX logs_by_state ON logs (state, id)",
        ),
    ),
    Step(
        3,
        "keep notices for the dealer's log",
        (
            """
CREATE TABLE notices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  log INTEGER NOT NULL,
  hand INTEGER NOT NULL,
  stage TEXT NOT NULL,
  size INTEGER NOT NULL,
  root BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT""",
        ),
    ),
    Step(
        4,
        "let games be the tables of a tournament",
        (
            "ALTER TABLE logs ADD COLUMN tournament TEXT NOT NULL DEFAULT ''",
            "CREATE INDEX logs_of_tournaments ON logs (tournament, id) WHERE tournament <> ''",
            "CREATE INDEX tournaments ON logs (id) WHERE tournament = log",
        ),
    ),
)
