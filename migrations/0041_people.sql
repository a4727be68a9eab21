-- What a member may do besides look: talk with the team, and decide requests. Owners may do both, whatever stands here.
ALTER TABLE users
	ADD COLUMN may_chat boolean NOT NULL DEFAULT false,
	ADD COLUMN may_approve boolean NOT NULL DEFAULT false,
	ADD COLUMN removed_at timestamptz;

-- Who was removed keeps the row, for what they did refers to it, and nothing that opens anything: no role, no right, no
-- proven address, no password, and an address that nobody can sign in with or be invited by.
ALTER TABLE users ADD CONSTRAINT users_removed CHECK (removed_at IS NULL OR role = 'member' AND NOT may_chat AND NOT may_approve
	AND verified_at IS NULL AND email_folded = 'removed ' || id);

CREATE FUNCTION users_removed_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'user % was removed', OLD.id USING ERRCODE = 'GH001';
END $$;
CREATE TRIGGER users_removed_guard BEFORE UPDATE ON users FOR EACH ROW
	WHEN (OLD.removed_at IS NOT NULL AND NEW.removed_at IS DISTINCT FROM OLD.removed_at) EXECUTE FUNCTION users_removed_guard();

-- A business keeps an owner. Two that remove each other at once meet at the lock on the business: the second sees what the
-- first has done.
CREATE FUNCTION users_keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM customers WHERE id = OLD.customer_id FOR NO KEY UPDATE;
	IF NOT EXISTS (SELECT FROM users WHERE customer_id = OLD.customer_id AND role = 'owner') THEN
		RAISE EXCEPTION 'customer % would have no owner', OLD.customer_id USING ERRCODE = 'GH001', CONSTRAINT = 'users_keep_owner';
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER users_keep_owner AFTER UPDATE ON users FOR EACH ROW
	WHEN (OLD.role = 'owner' AND NEW.role <> 'owner') EXECUTE FUNCTION users_keep_owner();

-- Invitations to the people of a business. The secret of the mailed link is kept by its hash, once the mail is written; the
-- newest mail replaces the one before.
CREATE TABLE invitations (
	id           uuid PRIMARY KEY,
	customer_id  uuid NOT NULL REFERENCES customers,
	email        text NOT NULL CHECK (email <> ''),
	email_folded text NOT NULL CHECK (email_folded <> ''),
	may_chat     boolean NOT NULL,
	may_approve  boolean NOT NULL,
	invited_by   uuid NOT NULL,
	hash         bytea UNIQUE CHECK (length(hash) = 32),
	created_at   timestamptz NOT NULL,
	expires_at   timestamptz NOT NULL CHECK (expires_at > created_at),
	refused_at   timestamptz, -- the mail server took no mail for the address
	ended_at     timestamptz, -- used, revoked, or replaced by a newer one
	used_by      uuid,
	FOREIGN KEY (customer_id, invited_by) REFERENCES users (customer_id, id),
	FOREIGN KEY (customer_id, used_by) REFERENCES users (customer_id, id),
	CONSTRAINT invitations_used CHECK (used_by IS NULL OR ended_at IS NOT NULL)
);
CREATE UNIQUE INDEX invitations_open ON invitations (customer_id, email_folded) WHERE ended_at IS NULL;
CREATE INDEX invitations_by ON invitations (invited_by) WHERE ended_at IS NULL;

-- Nor does a sign-in outlive a right that is taken away: open pages close, and the next sign-in finds what is left.
CREATE TRIGGER users_end_signins_of_right AFTER UPDATE ON users FOR EACH ROW
	WHEN (OLD.may_chat AND NOT NEW.may_chat OR OLD.may_approve AND NOT NEW.may_approve) EXECUTE FUNCTION users_end_signins();
