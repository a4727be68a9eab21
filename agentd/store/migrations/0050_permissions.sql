-- Every version of permissions.yaml that was in force, with who made it and why. Rows are only ever added.
CREATE TABLE permission_versions (
    version INTEGER PRIMARY KEY,
    change  TEXT NOT NULL UNIQUE,        -- id of the change: a repeat is a no-op
    text    TEXT NOT NULL,
    author  TEXT NOT NULL,               -- wire.Origin, JSON
    reason  TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT;
CREATE TRIGGER permission_versions_no_update BEFORE UPDATE ON permission_versions
BEGIN SELECT RAISE(ABORT, 'a version of the permissions is never changed'); END;
CREATE TRIGGER permission_versions_no_delete BEFORE DELETE ON permission_versions
BEGIN SELECT RAISE(ABORT, 'a version of the permissions is never deleted'); END;
CREATE TRIGGER permission_versions_in_order BEFORE INSERT ON permission_versions
WHEN NEW.version <> (SELECT coalesce(max(version), 0) + 1 FROM permission_versions)
BEGIN SELECT RAISE(ABORT, 'versions of the permissions are only appended'); END;

-- What a window is bound to besides agent and tool, what its person knew, and whether it was closed early.
ALTER TABLE gate_windows ADD COLUMN destination TEXT NOT NULL DEFAULT '';
ALTER TABLE gate_windows ADD COLUMN tainted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE gate_windows ADD COLUMN opened_at INTEGER NOT NULL DEFAULT 0;  -- Unix seconds
ALTER TABLE gate_windows ADD COLUMN opened_by TEXT NOT NULL DEFAULT '';    -- wire.DecidedBy, JSON
ALTER TABLE gate_windows ADD COLUMN closed_at INTEGER NOT NULL DEFAULT 0;  -- 0: not closed early

-- What a tree of runs has done so far is counted from its calls.
CREATE INDEX gate_calls_root ON gate_calls (root_run_id, created_at);
CREATE INDEX gate_calls_times ON gate_calls (created_at);
