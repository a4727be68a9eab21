-- What the owner has set, in the version that this server runs. One row.
CREATE TABLE config (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    version    INTEGER NOT NULL,
    body       TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER config_only_upward BEFORE UPDATE ON config
WHEN NEW.version <= OLD.version
BEGIN SELECT RAISE(ABORT, 'a configuration never goes back'); END;
