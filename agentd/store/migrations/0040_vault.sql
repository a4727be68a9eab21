-- The vault. Values lie here sealed; what stands in clear is bound to them by the root, a MAC over everything.
CREATE TABLE vault_state (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,            -- counts changes
    key_id  TEXT NOT NULL,               -- of the master key that wraps the data keys
    kdf     TEXT NOT NULL DEFAULT '',    -- argon2id parameters and salt, JSON; empty: the master key is no passphrase
    root    BLOB NOT NULL                -- HMAC-SHA256 over version, key id and every row below
) STRICT;

CREATE TABLE vault_secrets (
    id   TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,           -- tool.key
    meta TEXT NOT NULL                   -- kind, constraints, source, bindings, versions and times, JSON
) STRICT;

CREATE TABLE vault_versions (
    secret_id TEXT NOT NULL REFERENCES vault_secrets (id) ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    dek       BLOB NOT NULL,             -- data key, wrapped by the master key
    sealed    BLOB NOT NULL,             -- value, sealed by the data key
    PRIMARY KEY (secret_id, n)
) STRICT;

-- Which call may use which version where, and until when.
CREATE TABLE vault_leases (
    call_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    place      TEXT NOT NULL,            -- the use, JSON
    version    INTEGER NOT NULL,
    run_id     TEXT NOT NULL,
    agent      TEXT NOT NULL,
    expires_at INTEGER NOT NULL,         -- Unix microseconds
    PRIMARY KEY (call_id, name, place)
) STRICT;

-- Who touched what, when and what for.
CREATE TABLE vault_audit (
    n       INTEGER PRIMARY KEY AUTOINCREMENT,
    time    INTEGER NOT NULL,            -- Unix microseconds
    name    TEXT NOT NULL,
    version INTEGER NOT NULL,
    act     TEXT NOT NULL,
    by      TEXT NOT NULL,
    purpose TEXT NOT NULL
) STRICT;
CREATE INDEX vault_audit_name ON vault_audit (name, n);
CREATE TRIGGER vault_audit_fixed BEFORE UPDATE ON vault_audit
BEGIN SELECT RAISE(ABORT, 'what was noted stays as it was noted'); END;
CREATE TRIGGER vault_audit_kept BEFORE DELETE ON vault_audit
BEGIN SELECT RAISE(ABORT, 'what was noted stays'); END;

-- Calls that wait until a person gives a value.
CREATE TABLE vault_requests (
    id         TEXT PRIMARY KEY,         -- the call's id
    name       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('pending', 'provided', 'declined', 'withdrawn', 'expired')),
    body       TEXT NOT NULL,            -- wire.SecretRequest, JSON
    created_at INTEGER NOT NULL          -- Unix microseconds
) STRICT;
CREATE INDEX vault_requests_open ON vault_requests (created_at) WHERE state = 'pending';
CREATE TRIGGER vault_requests_forward BEFORE UPDATE ON vault_requests
WHEN OLD.state <> 'pending' AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a request is answered once'); END;

-- The key pair to which browsers seal values; the private half is sealed by the master key's sibling.
CREATE TABLE vault_box_key (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    public  TEXT NOT NULL,
    dek     BLOB NOT NULL,
    sealed  BLOB NOT NULL,
    made_at INTEGER NOT NULL             -- Unix seconds
) STRICT;

-- Which version of the vault the running agentd redacts: another process waits for it.
CREATE TABLE vault_watch (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;
