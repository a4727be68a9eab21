-- Addresses to which programs outside send something that has an agent work.
CREATE TABLE hooks (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    agent       TEXT NOT NULL,            -- empty: the sender names it
    task        TEXT NOT NULL,
    proof       TEXT NOT NULL CHECK (proof IN ('token', 'signed', 'body')),
    secret_hash TEXT NOT NULL,            -- hex SHA-256 of the secret; the key of one who signs lies in the vault
    state       TEXT NOT NULL CHECK (state IN ('active', 'paused', 'deleted')),
    per_minute  INTEGER NOT NULL,
    level       INTEGER NOT NULL,         -- its runs stand no higher
    session     TEXT NOT NULL,
    origin      TEXT NOT NULL,            -- wire.DecidedBy, JSON: who made it
    last_act    TEXT NOT NULL,            -- the act that changed it last
    version     INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,         -- Unix microseconds, as all times here
    updated_at  INTEGER NOT NULL,
    renewed_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX hooks_name ON hooks (name) WHERE state <> 'deleted';

-- What came: one row for each delivery that was accepted, one for all of the same kind within a minute otherwise.
CREATE TABLE hook_deliveries (
    seq     INTEGER PRIMARY KEY,
    hook    TEXT NOT NULL REFERENCES hooks (id),
    at      INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused', 'repeated', 'too_many')),
    reason  TEXT NOT NULL,
    run_id  TEXT NOT NULL,
    count   INTEGER NOT NULL,
    size    INTEGER NOT NULL
) STRICT;
CREATE INDEX hook_deliveries_hook ON hook_deliveries (hook, seq);
CREATE INDEX hook_deliveries_at ON hook_deliveries (at);
CREATE UNIQUE INDEX hook_deliveries_run ON hook_deliveries (run_id) WHERE verdict = 'accepted';

-- By what a delivery is known again: written in the transaction that begins its run.
CREATE TABLE hook_seen (
    hook   TEXT NOT NULL REFERENCES hooks (id),
    mark   TEXT NOT NULL,                 -- hex SHA-256
    run_id TEXT NOT NULL,
    until  INTEGER NOT NULL,
    PRIMARY KEY (hook, mark)
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_seen_until ON hook_seen (until);
