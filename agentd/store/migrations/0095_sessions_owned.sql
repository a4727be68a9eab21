-- What the owner does with conversations: one that is archived is left out of the list.
ALTER TABLE sessions ADD COLUMN archived_at INTEGER NOT NULL DEFAULT 0; -- Unix microseconds; 0: it is not

-- Conversations that were deleted. A message that comes for one later is refused.
CREATE TABLE deleted_sessions (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL                  -- Unix microseconds
) STRICT, WITHOUT ROWID;
CREATE TRIGGER deleted_sessions_fixed BEFORE UPDATE ON deleted_sessions
BEGIN SELECT RAISE(ABORT, 'a deleted conversation stays deleted'); END;
CREATE TRIGGER deleted_sessions_stay BEFORE DELETE ON deleted_sessions
BEGIN SELECT RAISE(ABORT, 'a deleted conversation stays deleted'); END;

-- A call that has ended never changes, except that a deleted conversation takes the texts out of its record. What limits
-- count by stays: deleting a conversation gives no agent another turn.
DROP TRIGGER gate_calls_end;
CREATE TRIGGER gate_calls_end BEFORE UPDATE ON gate_calls
WHEN OLD.state NOT IN ('asked', 'started')
  AND NOT (EXISTS (SELECT 1 FROM deleted_sessions WHERE id = OLD.session_id)
    AND (NEW.id, NEW.run_id, NEW.root_run_id, NEW.session_id, NEW.agent, NEW.tool, NEW.asked_hash, NEW.state, NEW.created_at)
    IS (OLD.id, OLD.run_id, OLD.root_run_id, OLD.session_id, OLD.agent, OLD.tool, OLD.asked_hash, OLD.state, OLD.created_at))
BEGIN SELECT RAISE(ABORT, 'a call that has ended never changes'); END;
CREATE INDEX gate_calls_session ON gate_calls (session_id);
