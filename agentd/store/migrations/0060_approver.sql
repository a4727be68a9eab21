-- The public keys of the people who may allow. A key never changes, and one that was revoked stays so.
CREATE TABLE approver_keys (
    key_id     TEXT PRIMARY KEY,         -- base64url SHA-256 of the SPKI
    spki       TEXT NOT NULL,            -- base64url DER
    kind       TEXT NOT NULL CHECK (kind IN ('browser', 'passkey', 'software')),
    holder     TEXT NOT NULL CHECK (holder IN ('person', 'staff')),
    label      TEXT NOT NULL,
    credential TEXT NOT NULL,            -- passkeys: the id of the credential
    added_by   TEXT NOT NULL,            -- 'code', 'recovery' or the key that signed
    created_at INTEGER NOT NULL,         -- Unix microseconds
    revoked_at INTEGER                   -- NULL while it may allow
) STRICT;
CREATE TRIGGER approver_keys_fixed BEFORE UPDATE ON approver_keys
WHEN OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL
  OR (NEW.key_id, NEW.spki, NEW.kind, NEW.holder, NEW.label, NEW.credential, NEW.added_by, NEW.created_at)
  IS NOT (OLD.key_id, OLD.spki, OLD.kind, OLD.holder, OLD.label, OLD.credential, OLD.added_by, OLD.created_at)
BEGIN SELECT RAISE(ABORT, 'an approver key can only be revoked'); END;
CREATE TRIGGER approver_keys_stay BEFORE DELETE ON approver_keys
BEGIN SELECT RAISE(ABORT, 'an approver key is revoked, not deleted'); END;

-- Signed texts that have had their effect: each counts once.
CREATE TABLE approver_used (
    id      TEXT PRIMARY KEY,            -- hex SHA-256 of the text and the key that signed it
    used_at INTEGER NOT NULL             -- Unix microseconds
) STRICT, WITHOUT ROWID;
CREATE TRIGGER approver_used_stay BEFORE UPDATE ON approver_used
BEGIN SELECT RAISE(ABORT, 'a used signature stays used'); END;
CREATE TRIGGER approver_used_keep BEFORE DELETE ON approver_used
BEGIN SELECT RAISE(ABORT, 'a used signature stays used'); END;

-- Codes that were tried: how often in vain, and whether one enrolled a key.
CREATE TABLE approver_codes (
    id      TEXT PRIMARY KEY,            -- hex SHA-256 of the key derived from the code
    tries   INTEGER NOT NULL,
    used_at INTEGER                      -- Unix microseconds
) STRICT, WITHOUT ROWID;
