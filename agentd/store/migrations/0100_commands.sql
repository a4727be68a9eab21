-- The hub's commands, each once, and how it ended.
CREATE TABLE commands (
    id      TEXT PRIMARY KEY,
    text    TEXT NOT NULL,    -- as the hub signed it
    verb    TEXT NOT NULL,
    state   TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'refused')),
    said    TEXT NOT NULL,    -- for people
    result  TEXT NOT NULL,    -- JSON of the list of containers, or empty
    at      INTEGER NOT NULL  -- when it came, Unix microseconds
) STRICT;
CREATE INDEX commands_at ON commands (at);

-- The key that signs the hub's commands, as it was first given.
CREATE TABLE command_key (
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    key TEXT NOT NULL, -- Ed25519, base64url
    how TEXT NOT NULL  -- registration, link
) STRICT;
