-- The conversations of messengers: which one a message belongs to, by agent and scope.
CREATE TABLE session_keys (
    key        TEXT PRIMARY KEY,         -- agent:<id>:<scope>
    session_id TEXT NOT NULL             -- the newest one; there need be no row of it yet
) STRICT, WITHOUT ROWID;
CREATE INDEX session_keys_session ON session_keys (session_id);

-- A conversation that is over: the one that goes on in its place. What a person has named stays in the list.
ALTER TABLE sessions ADD COLUMN next TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
