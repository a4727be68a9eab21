-- What the team does at times of its own.
CREATE TABLE schedules (
    id         TEXT PRIMARY KEY,
    agent      TEXT NOT NULL,
    kind       TEXT NOT NULL,            -- wire.ScheduleKind
    spec       TEXT NOT NULL,            -- as agentd/schedule/due keeps it
    zone       TEXT NOT NULL,            -- IANA name
    anchor     INTEGER NOT NULL,         -- an interval counts from here; Unix microseconds, as all times here
    title      TEXT NOT NULL,
    task       TEXT NOT NULL,
    catch_up   TEXT NOT NULL CHECK (catch_up IN ('once', 'skip')),
    deliver    TEXT NOT NULL,            -- wire.DeliverTo
    state      TEXT NOT NULL CHECK (state IN ('active', 'paused', 'done', 'deleted')),
    why        TEXT NOT NULL,            -- while paused
    level      INTEGER NOT NULL,         -- its runs stand no higher
    taint      TEXT NOT NULL,            -- []policy.Source, JSON: what stood behind its making
    session    TEXT NOT NULL,            -- the conversation of its runs
    origin     TEXT NOT NULL,            -- wire.Origin, JSON: who made it
    run_id     TEXT NOT NULL,            -- the run that made it; empty: a person did
    call_id    TEXT NOT NULL,            -- the call that made it, likewise
    version    INTEGER NOT NULL,
    failures   INTEGER NOT NULL,         -- ticks in a row that failed for good
    due        INTEGER NOT NULL,         -- the next tick; 0: none
    start_at   INTEGER NOT NULL,         -- the same with the spread
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_start ON schedules (start_at) WHERE due > 0;
CREATE UNIQUE INDEX schedules_call ON schedules (call_id) WHERE call_id <> '';

-- The verdict of each tick: one row, written in the transaction that starts its run.
CREATE TABLE schedule_ticks (
    seq       INTEGER PRIMARY KEY,
    schedule  TEXT NOT NULL REFERENCES schedules (id),
    due       INTEGER NOT NULL,
    verdict   TEXT NOT NULL CHECK (verdict IN ('ran', 'caught_up', 'skipped', 'missed')),
    reason    TEXT NOT NULL,
    run_id    TEXT NOT NULL,             -- of the newest try; empty without one
    try       INTEGER NOT NULL,
    outcome   TEXT NOT NULL CHECK (outcome IN ('', 'open', 'done', 'retried', 'failed', 'stopped')),
    retry_at  INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    asked     INTEGER NOT NULL,
    dismissed INTEGER NOT NULL,
    UNIQUE (schedule, due)
) STRICT;
CREATE INDEX schedule_ticks_going ON schedule_ticks (schedule) WHERE outcome IN ('open', 'retried');
CREATE INDEX schedule_ticks_failed ON schedule_ticks (seq) WHERE outcome = 'failed' AND dismissed = 0;
CREATE UNIQUE INDEX schedule_ticks_run ON schedule_ticks (run_id) WHERE run_id <> '';

CREATE TABLE schedule_settings (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    paused     INTEGER NOT NULL,
    quiet_from TEXT NOT NULL,
    quiet_to   TEXT NOT NULL,
    origin     TEXT NOT NULL             -- wire.Origin, JSON: who set it last
) STRICT;

-- A run of a schedule stands no higher than the schedule, and one that only says something asks no model.
ALTER TABLE runs ADD COLUMN level_cap INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN said TEXT NOT NULL DEFAULT '';
