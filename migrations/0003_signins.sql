-- Browsers' logins. The secret in the cookie is kept by its hash alone.
CREATE TABLE signins (
	id          uuid PRIMARY KEY,
	hash        bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
	kind        text NOT NULL CHECK (kind IN ('customer', 'staff', 'pending')),
	customer_id uuid,
	user_id     uuid,
	staff_id    uuid REFERENCES staff ON DELETE CASCADE,
	created_at  timestamptz NOT NULL,
	seen_at     timestamptz NOT NULL, -- exact to a minute
	fresh_at    timestamptz NOT NULL, -- when the person last proved who they are
	expires_at  timestamptz NOT NULL CHECK (expires_at > created_at),
	address     text NOT NULL DEFAULT '',
	browser     text NOT NULL DEFAULT '',
	FOREIGN KEY (customer_id, user_id) REFERENCES users (customer_id, id) ON DELETE CASCADE,
	CHECK (CASE kind
		WHEN 'customer' THEN customer_id IS NOT NULL AND user_id IS NOT NULL AND staff_id IS NULL
		ELSE customer_id IS NULL AND user_id IS NULL AND staff_id IS NOT NULL END)
);
CREATE INDEX signins_user ON signins (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX signins_staff ON signins (staff_id) WHERE staff_id IS NOT NULL;
CREATE INDEX signins_old ON signins (expires_at);

-- A sign-in never outlives what it was given for: another password, role or address ends every one of the person, and
-- so does switching one of the staff off, in the transaction that does it and whatever program did it.
CREATE FUNCTION users_end_signins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM signins WHERE user_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER users_end_signins AFTER UPDATE ON users FOR EACH ROW
	WHEN ((OLD.password_hash, OLD.role, OLD.email_folded) IS DISTINCT FROM (NEW.password_hash, NEW.role, NEW.email_folded))
	EXECUTE FUNCTION users_end_signins();

CREATE FUNCTION staff_end_signins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM signins WHERE staff_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER staff_end_signins AFTER UPDATE ON staff FOR EACH ROW
	WHEN ((OLD.password_hash, OLD.role, OLD.email_folded, OLD.totp_secret, OLD.off_at)
		IS DISTINCT FROM (NEW.password_hash, NEW.role, NEW.email_folded, NEW.totp_secret, NEW.off_at))
	EXECUTE FUNCTION staff_end_signins();
