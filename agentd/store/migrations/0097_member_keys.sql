-- Keys of members of the business, beside those of owners ('person') and of staff. SQLite widens a CHECK only by a new table.
CREATE TABLE approver_keys_new (
    key_id     TEXT PRIMARY KEY,         -- base64url SHA-256 of the SPKI
    spki       TEXT NOT NULL,            -- base64url DER
    kind       TEXT NOT NULL CHECK (kind IN ('browser', 'passkey', 'software')),
    holder     TEXT NOT NULL CHECK (holder IN ('person', 'member', 'staff')),
    label      TEXT NOT NULL,
    credential TEXT NOT NULL,            -- passkeys: the id of the credential
    added_by   TEXT NOT NULL,            -- 'code', 'order', 'recovery' or the key that signed
    created_at INTEGER NOT NULL,         -- Unix microseconds
    revoked_at INTEGER                   -- NULL while it may allow
) STRICT;
INSERT INTO approver_keys_new SELECT key_id, spki, kind, holder, label, credential, added_by, created_at, revoked_at FROM approver_keys;
DROP TABLE approver_keys;
ALTER TABLE approver_keys_new RENAME TO approver_keys;
CREATE TRIGGER approver_keys_fixed BEFORE UPDATE ON approver_keys
WHEN OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL
  OR (NEW.key_id, NEW.spki, NEW.kind, NEW.holder, NEW.label, NEW.credential, NEW.added_by, NEW.created_at)
  IS NOT (OLD.key_id, OLD.spki, OLD.kind, OLD.holder, OLD.label, OLD.credential, OLD.added_by, OLD.created_at)
BEGIN SELECT RAISE(ABORT, 'an approver key can only be revoked'); END;
CREATE TRIGGER approver_keys_stay BEFORE DELETE ON approver_keys
BEGIN SELECT RAISE(ABORT, 'an approver key is revoked, not deleted'); END;
