"""The tables of the SQLite store.

Every table is STRICT. The lines of a log are the transcript, byte for byte, and public; secrets
stand in `secrets` alone, sealed. A change of this text raises SCHEMA_VERSION.
"""

from typing import Final

# "cutc" in ASCII: marks the file as a Cutcard store (SQLite file format, offset 68).
APPLICATION_ID: Final = 0x63757463
SCHEMA_VERSION: Final = 2

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS logs (
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
) STRICT;
CREATE INDEX IF NOT EXISTS logs_by_state ON logs (state, id);
CREATE TABLE IF NOT EXISTS lines (
  log INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  line BLOB NOT NULL,
  PRIMARY KEY (log, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoints (
  log INTEGER NOT NULL,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (log, size)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS secrets (
  log INTEGER NOT NULL,
  hand INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (log, hand)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (
  log INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (log, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
  scope TEXT NOT NULL,
  caller TEXT NOT NULL,
  request_id TEXT NOT NULL,
  digest BLOB NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (scope, caller, request_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS movements (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT,
  log TEXT NOT NULL,
  idx INTEGER NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  player TEXT NOT NULL,
  seat INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  reference TEXT NOT NULL
) STRICT;
"""
