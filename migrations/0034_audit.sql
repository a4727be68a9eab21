-- The role in which one of our staff did something: it may change later.
ALTER TABLE audit_log ADD COLUMN by_role text NOT NULL DEFAULT '';

-- The record is read by person, by action and by day, the newest first.
CREATE INDEX audit_log_by ON audit_log (by_id, id DESC) WHERE by_id <> '';
CREATE INDEX audit_log_action ON audit_log (action, id DESC);
CREATE INDEX audit_log_at ON audit_log (at);
