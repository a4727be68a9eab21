-- Each call of a tool, from the moment it was decided. The row and its receipts are written together.
CREATE TABLE gate_calls (
    id          TEXT PRIMARY KEY,
    run_id      TEXT NOT NULL,
    root_run_id TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    agent       TEXT NOT NULL,
    tool        TEXT NOT NULL,
    asked_hash  TEXT NOT NULL,           -- SHA-256 of the arguments as the model wrote them
    state       TEXT NOT NULL CHECK (state IN ('asked', 'started', 'done', 'failed', 'denied', 'unknown', 'stopped')),
    body        TEXT NOT NULL,           -- the whole record, JSON
    created_at  INTEGER NOT NULL         -- Unix microseconds
) STRICT;
CREATE INDEX gate_calls_run ON gate_calls (run_id);
CREATE INDEX gate_calls_open ON gate_calls (state) WHERE state IN ('asked', 'started');
-- What has ended stays as it ended.
CREATE TRIGGER gate_calls_end BEFORE UPDATE ON gate_calls
WHEN OLD.state NOT IN ('asked', 'started')
BEGIN SELECT RAISE(ABORT, 'a call that has ended never changes'); END;
CREATE TRIGGER gate_calls_forward BEFORE UPDATE ON gate_calls
WHEN OLD.state = 'started' AND NEW.state = 'asked'
BEGIN SELECT RAISE(ABORT, 'a call that has started is not asked again'); END;

-- Questions to a person.
CREATE TABLE gate_approvals (
    id         TEXT PRIMARY KEY,
    code       TEXT NOT NULL,
    call_id    TEXT NOT NULL REFERENCES gate_calls (id),
    run_id     TEXT NOT NULL,
    agent      TEXT NOT NULL,
    tool       TEXT NOT NULL,
    args_hash  TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('pending', 'allowed', 'denied', 'expired', 'withdrawn', 'superseded')),
    execution  TEXT NOT NULL CHECK (execution IN ('none', 'queued', 'running', 'done', 'failed', 'unknown')),
    expires_at INTEGER NOT NULL,         -- Unix seconds
    body       TEXT NOT NULL,            -- wire.Approval, JSON
    edited     TEXT NOT NULL DEFAULT ''  -- the arguments a person put in place of the agent's
) STRICT;
CREATE INDEX gate_approvals_run ON gate_approvals (run_id);
CREATE INDEX gate_approvals_call ON gate_approvals (call_id);
CREATE UNIQUE INDEX gate_approvals_code ON gate_approvals (code) WHERE state = 'pending';
CREATE UNIQUE INDEX gate_approvals_same ON gate_approvals (agent, tool, args_hash) WHERE state = 'pending';
CREATE INDEX gate_approvals_due ON gate_approvals (expires_at) WHERE state = 'pending';
CREATE TRIGGER gate_approvals_forward BEFORE UPDATE ON gate_approvals
WHEN (OLD.state <> 'pending' AND NEW.state NOT IN (OLD.state, 'superseded'))
  OR (NEW.state = 'superseded' AND OLD.state NOT IN ('pending', 'allowed', 'superseded'))
  OR (NEW.state = 'superseded' AND OLD.execution NOT IN ('none', 'queued'))
  OR (NEW.execution = 'running' AND OLD.execution = 'running' AND NEW.state <> 'allowed')
  OR (OLD.execution IN ('done', 'failed', 'unknown') AND NEW.execution <> OLD.execution)
  OR (NEW.execution <> 'none' AND NEW.state <> 'allowed')
BEGIN SELECT RAISE(ABORT, 'an approval does not change that way'); END;

-- Times in which a person has allowed a tool to an agent without asking again.
CREATE TABLE gate_windows (
    approval_id TEXT PRIMARY KEY REFERENCES gate_approvals (id),
    agent       TEXT NOT NULL,
    tool        TEXT NOT NULL,
    tier        TEXT NOT NULL,
    until       INTEGER NOT NULL         -- Unix seconds
) STRICT;
CREATE INDEX gate_windows_for ON gate_windows (agent, tool, until);

-- The latest moment this gate has seen: turning the clock back gives no decision a longer life.
CREATE TABLE gate_clock (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    high INTEGER NOT NULL                -- Unix microseconds
) STRICT;
