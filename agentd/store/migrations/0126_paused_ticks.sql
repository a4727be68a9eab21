-- The run of a tick that a pause has ended is neither done nor failed.
CREATE TABLE schedule_ticks_new (
    seq       INTEGER PRIMARY KEY,
    schedule  TEXT NOT NULL REFERENCES schedules (id),
    due       INTEGER NOT NULL,
    verdict   TEXT NOT NULL CHECK (verdict IN ('ran', 'caught_up', 'skipped', 'missed')),
    reason    TEXT NOT NULL,
    run_id    TEXT NOT NULL,             -- of the newest try; empty without one
    try       INTEGER NOT NULL,
    outcome   TEXT NOT NULL CHECK (outcome IN ('', 'open', 'done', 'retried', 'failed', 'stopped', 'paused')),
    retry_at  INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    asked     INTEGER NOT NULL,
    dismissed INTEGER NOT NULL,
    UNIQUE (schedule, due)
) STRICT;
INSERT INTO schedule_ticks_new
    SELECT seq, schedule, due, verdict, reason, run_id, try, outcome, retry_at, at, asked, dismissed FROM schedule_ticks;
DROP TABLE schedule_ticks;
ALTER TABLE schedule_ticks_new RENAME TO schedule_ticks;
CREATE INDEX schedule_ticks_going ON schedule_ticks (schedule) WHERE outcome IN ('open', 'retried');
CREATE INDEX schedule_ticks_failed ON schedule_ticks (seq) WHERE outcome = 'failed' AND dismissed = 0;
CREATE UNIQUE INDEX schedule_ticks_run ON schedule_ticks (run_id) WHERE run_id <> '';
