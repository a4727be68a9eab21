-- Conversations.
CREATE TABLE sessions (
    id          TEXT PRIMARY KEY,
    agent       TEXT NOT NULL,
    title       TEXT NOT NULL,
    last_line   TEXT NOT NULL,
    state       TEXT NOT NULL,           -- of its newest run
    verdict     TEXT NOT NULL,           -- of its newest finished run
    runs        INTEGER NOT NULL,
    fresh_after INTEGER NOT NULL,        -- runs.seq of the last /new: what is older is no longer read to the model
    created_at  INTEGER NOT NULL,        -- Unix microseconds, as all times here
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_recent ON sessions (updated_at, id);

-- Each turn of an agent, from a message or a delegated task to its end.
CREATE TABLE runs (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT, -- the order in which they came
    id          TEXT NOT NULL UNIQUE,
    root_id     TEXT NOT NULL,
    parent_id   TEXT NOT NULL,           -- empty for a root
    parent_call TEXT NOT NULL,           -- the call that delegated it; empty for a root
    session_id  TEXT NOT NULL REFERENCES sessions (id),
    agent       TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('queued', 'running', 'parked', 'done', 'failed', 'stopped')),
    text        TEXT NOT NULL,           -- the whole message or task
    origin      TEXT NOT NULL,           -- wire.Origin, JSON
    depth       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,        -- 1, and one more for each life of the process that went on with it
    steps       INTEGER NOT NULL,        -- model calls that gave an answer
    calls       INTEGER NOT NULL,
    worst       TEXT NOT NULL,           -- highest tier of its calls
    active_ms   INTEGER NOT NULL,        -- time at work, without waiting for people
    usage_in    INTEGER NOT NULL,
    usage_out   INTEGER NOT NULL,
    model       TEXT NOT NULL,
    verdict     TEXT NOT NULL,
    claims      TEXT NOT NULL,           -- []wire.Claim, JSON
    final       TEXT NOT NULL,           -- wire.FinalData, JSON, when it ended well
    error       TEXT NOT NULL,           -- wire.ErrorData, JSON, when it did not
    sent_at     INTEGER NOT NULL,        -- when the person sent the message
    created_at  INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,        -- 0 while queued
    ended_at    INTEGER NOT NULL         -- 0 while open
) STRICT;
CREATE INDEX runs_root ON runs (root_id);
CREATE INDEX runs_session ON runs (session_id, seq);
CREATE INDEX runs_agent ON runs (agent, seq);
CREATE INDEX runs_roots ON runs (seq) WHERE depth = 0;
CREATE INDEX runs_open ON runs (state) WHERE state IN ('queued', 'running', 'parked');
CREATE UNIQUE INDEX runs_call ON runs (parent_call) WHERE parent_call <> '';
CREATE TRIGGER runs_end BEFORE UPDATE OF state ON runs
WHEN OLD.state IN ('done', 'failed', 'stopped') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a run that has ended never changes'); END;

-- The transcript: only ever added to.
CREATE TABLE run_entries (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id     TEXT NOT NULL,
    parent     INTEGER NOT NULL,         -- seq of the entry that it follows; 0 for the first of a run
    kind       TEXT NOT NULL CHECK (kind IN ('assistant', 'tool', 'check')),
    step       INTEGER NOT NULL,
    text       TEXT NOT NULL,
    calls      TEXT NOT NULL,            -- assistant: what it wants to call, JSON
    call_id    TEXT NOT NULL,            -- tool: the call that it answers
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX run_entries_run ON run_entries (run_id, seq);
CREATE TRIGGER run_entries_no_update BEFORE UPDATE ON run_entries
BEGIN SELECT RAISE(ABORT, 'a transcript is only added to'); END;

-- Calls as pages show them. What the gate judges by stands in gate_calls.
CREATE TABLE run_calls (
    id          TEXT PRIMARY KEY,
    run_id      TEXT NOT NULL,
    root_id     TEXT NOT NULL,
    agent       TEXT NOT NULL,
    tool        TEXT NOT NULL,
    args        TEXT NOT NULL,           -- as the model wrote them
    reason      TEXT NOT NULL,           -- what it said just before
    state       TEXT NOT NULL,
    action      TEXT NOT NULL,
    tier        TEXT NOT NULL,
    summary     TEXT NOT NULL,
    result      TEXT NOT NULL,
    target      TEXT NOT NULL,
    child       TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX run_calls_root ON run_calls (root_id, id);
CREATE INDEX run_calls_run ON run_calls (run_id);
CREATE INDEX run_calls_tool ON run_calls (tool, root_id);
CREATE INDEX run_calls_agent ON run_calls (agent, created_at);

-- The numbered events of each root run.
CREATE TABLE run_events (
    root_id TEXT NOT NULL,
    n       INTEGER NOT NULL,
    event   TEXT NOT NULL,
    data    TEXT NOT NULL,
    PRIMARY KEY (root_id, n)
) STRICT, WITHOUT ROWID;

-- Stops that were asked for, kept also when their message has not come yet.
CREATE TABLE run_cancels (
    run_id TEXT PRIMARY KEY,
    origin TEXT NOT NULL,                -- wire.Origin, JSON
    at     INTEGER NOT NULL
) STRICT;
