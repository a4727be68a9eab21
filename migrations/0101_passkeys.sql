-- Passkeys for signing in, of people of customers and of our staff. Those for approving are another kind of thing: servers keep
-- them, and none of them ever stands here.
CREATE TABLE passkeys (
	id         uuid PRIMARY KEY,
	user_id    uuid REFERENCES users ON DELETE CASCADE,
	staff_id   uuid REFERENCES staff ON DELETE CASCADE,
	credential bytea NOT NULL UNIQUE CHECK (length(credential) BETWEEN 1 AND 1023),
	record     jsonb NOT NULL, -- public key, flags and counter, as the library writes them
	sign_count bigint NOT NULL CHECK (sign_count >= 0),
	name       text NOT NULL CHECK (name <> ''),
	created_at timestamptz NOT NULL,
	used_at    timestamptz,
	CONSTRAINT passkeys_of_somebody CHECK ((user_id IS NULL) <> (staff_id IS NULL))
);
CREATE INDEX passkeys_user ON passkeys (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX passkeys_staff ON passkeys (staff_id) WHERE staff_id IS NOT NULL;

-- A counter never goes back, whatever a program does.
CREATE FUNCTION passkeys_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.sign_count < OLD.sign_count THEN
		RAISE EXCEPTION 'passkey %: its counter cannot go back', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER passkeys_guard BEFORE UPDATE ON passkeys FOR EACH ROW EXECUTE FUNCTION passkeys_guard();

-- Who was removed or switched off, or lost the second step, has no other way in either. Nor has what somebody added who knew the
-- password that was in use before.
CREATE FUNCTION passkeys_end_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM passkeys WHERE user_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER passkeys_end_of_user AFTER UPDATE ON users FOR EACH ROW
	WHEN (OLD.removed_at IS NULL AND NEW.removed_at IS NOT NULL OR OLD.password_hash IS DISTINCT FROM NEW.password_hash)
	EXECUTE FUNCTION passkeys_end_of_user();
CREATE FUNCTION passkeys_end_of_staff() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM passkeys WHERE staff_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER passkeys_end_of_staff AFTER UPDATE ON staff FOR EACH ROW
	WHEN (NEW.off_at IS NOT NULL AND OLD.off_at IS NULL OR NEW.second_at IS NULL AND OLD.second_at IS NOT NULL)
	EXECUTE FUNCTION passkeys_end_of_staff();

-- What an authenticator was asked to sign. Each is answered once: it goes with the answer.
CREATE TABLE passkey_challenges (
	hash       bytea PRIMARY KEY CHECK (length(hash) = 32),
	purpose    text NOT NULL CHECK (purpose IN ('add_user', 'add_staff', 'enter_user', 'enter_staff')),
	owner_id   uuid, -- who adds one
	session    jsonb NOT NULL,
	expires_at timestamptz NOT NULL,
	CONSTRAINT passkey_challenges_owner CHECK ((owner_id IS NOT NULL) = (purpose LIKE 'add%'))
);
CREATE INDEX passkey_challenges_expire ON passkey_challenges (expires_at);
