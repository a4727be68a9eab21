-- The log of what was asked, decided and done. Rows are only ever added.
CREATE TABLE receipts (
    seq       INTEGER PRIMARY KEY,
    time      TEXT NOT NULL,
    type      TEXT NOT NULL,
    run_id    TEXT NOT NULL,
    call_id   TEXT NOT NULL,
    tool      TEXT NOT NULL,
    tier      TEXT NOT NULL,
    body      TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash      TEXT NOT NULL
) STRICT;
CREATE INDEX receipts_run ON receipts (run_id, seq);

CREATE TRIGGER receipts_no_update BEFORE UPDATE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never changed'); END;
CREATE TRIGGER receipts_no_delete BEFORE DELETE ON receipts
BEGIN SELECT RAISE(ABORT, 'receipts are never deleted'); END;
-- INSERT OR REPLACE deletes without firing the trigger above, so a known or skipped number is refused here.
CREATE TRIGGER receipts_in_order BEFORE INSERT ON receipts
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM receipts)
BEGIN SELECT RAISE(ABORT, 'receipts are only appended'); END;

-- What was signed and sent to the hub.
CREATE TABLE checkpoints (
    seq       INTEGER PRIMARY KEY,
    hash      TEXT NOT NULL,
    time      TEXT NOT NULL,
    key_id    TEXT NOT NULL,
    signature TEXT NOT NULL
) STRICT;
CREATE TRIGGER checkpoints_no_update BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are never changed'); END;
CREATE TRIGGER checkpoints_no_delete BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are never deleted'); END;
