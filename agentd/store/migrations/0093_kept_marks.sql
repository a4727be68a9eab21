-- The marks that a file had when a write replaced what was there: they come back with it.
CREATE TABLE kept_marks (
    call_id TEXT NOT NULL,               -- the write
    path    TEXT NOT NULL,               -- under the data folder
    source  TEXT NOT NULL,
    ref     TEXT NOT NULL,
    at      INTEGER NOT NULL,            -- of the write, Unix microseconds
    PRIMARY KEY (call_id, path, source, ref)
) STRICT, WITHOUT ROWID;
