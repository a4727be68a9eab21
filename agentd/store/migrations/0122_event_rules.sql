-- Rules on events: when something happens here, an agent works on it.
CREATE TABLE event_rules (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    event      TEXT NOT NULL,            -- wire.EventKind
    of_agent   TEXT NOT NULL,            -- empty, as the next two: it narrows nothing
    outcome    TEXT NOT NULL,            -- wire.EventOutcome
    schedule   TEXT NOT NULL,
    agent      TEXT NOT NULL,            -- who works on it
    task       TEXT NOT NULL,
    per_hour   INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('active', 'paused', 'deleted')),
    why        TEXT NOT NULL,            -- while paused
    level      INTEGER NOT NULL,         -- its runs stand no higher
    session    TEXT NOT NULL,            -- the conversation of its runs
    origin     TEXT NOT NULL,            -- wire.DecidedBy, JSON: who made it
    last_act   TEXT NOT NULL,            -- the act that changed it last
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,         -- Unix microseconds, as all times here
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX event_rules_event ON event_rules (event) WHERE state = 'active';

-- What became of events: one row for each that began a run, one for all that began none for the same reason within an hour.
CREATE TABLE event_firings (
    seq      INTEGER PRIMARY KEY,
    rule     TEXT NOT NULL REFERENCES event_rules (id),
    mark     TEXT NOT NULL,              -- by which an event that began a run is known again
    at       INTEGER NOT NULL,           -- the newest
    since    INTEGER NOT NULL,           -- the first
    verdict  TEXT NOT NULL CHECK (verdict IN ('began', 'held')),
    reason   TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    count    INTEGER NOT NULL,
    of_run   TEXT NOT NULL,
    of_agent TEXT NOT NULL,
    outcome  TEXT NOT NULL,
    schedule TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_firings_mark ON event_firings (rule, mark) WHERE verdict = 'began';
CREATE INDEX event_firings_rule ON event_firings (rule, seq);
CREATE INDEX event_firings_at ON event_firings (at);

-- What was noticed in content from outside: as well in what an event told of.
DROP INDEX receipts_flagged;
CREATE INDEX receipts_flagged ON receipts (seq)
    WHERE type IN ('call.finished', 'hook.accepted', 'event.began') AND instr(body, '"flagged":["') > 0;
