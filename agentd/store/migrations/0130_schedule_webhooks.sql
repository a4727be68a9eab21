-- Addresses to which results of schedules go, each signed for by a person.
CREATE TABLE schedule_webhooks (
    schedule    TEXT PRIMARY KEY,
    url         TEXT NOT NULL,
    secret_hash TEXT NOT NULL,            -- hex SHA-256 of the secret, which lies in the vault
    basis       TEXT NOT NULL,            -- hash of what the schedule did when it was signed for
    origin      TEXT NOT NULL,            -- wire.DecidedBy, JSON
    last_act    TEXT NOT NULL,
    updated_at  INTEGER NOT NULL          -- Unix microseconds, as all times here
) STRICT;

-- Results on their way, one for a tick.
CREATE TABLE schedule_deliveries (
    id         TEXT PRIMARY KEY,
    schedule   TEXT NOT NULL,
    due        INTEGER NOT NULL,
    run_id     TEXT NOT NULL,
    agent      TEXT NOT NULL,
    session    TEXT NOT NULL,
    level      INTEGER NOT NULL,
    verdict    TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    failed     TEXT NOT NULL,             -- why there is no answer
    basis      TEXT NOT NULL,             -- what the schedule did when its run ended
    text       TEXT NOT NULL,             -- what is sent, read before the first attempt; empty before, and once nothing is tried anymore
    taint      TEXT NOT NULL,             -- JSON
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'held', 'failed')),
    reason     TEXT NOT NULL,
    call_id    TEXT NOT NULL,             -- of the attempt that is under way, or comes next
    attempts   INTEGER NOT NULL,
    next_at    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (schedule, due)
) STRICT;
CREATE INDEX schedule_deliveries_waiting ON schedule_deliveries (next_at) WHERE state = 'waiting';

CREATE TABLE schedule_attempts (
    call_id  TEXT PRIMARY KEY,
    delivery TEXT NOT NULL REFERENCES schedule_deliveries (id) ON DELETE CASCADE,
    at       INTEGER NOT NULL,
    status   INTEGER NOT NULL,            -- of HTTP; 0: no answer
    reason   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX schedule_attempts_delivery ON schedule_attempts (delivery, at);
