-- The second step of signing in, for people of customers. It counts once it was proven with a code.
CREATE TABLE user_seconds (
	user_id     uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
	totp_secret bytea NOT NULL,            -- AES-256-GCM, bound to this row and column
	totp_step   bigint NOT NULL DEFAULT 0, -- the 30 s period whose code was accepted last
	totp_tries  int NOT NULL DEFAULT 0,    -- codes refused since totp_since
	totp_since  timestamptz,
	backup      text[] NOT NULL DEFAULT '{}', -- hashes of the backup codes that are left
	begun_at    timestamptz NOT NULL,
	proven_at   timestamptz
);

-- An accepted code is never accepted again, whatever a program does.
CREATE FUNCTION user_seconds_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.totp_step < OLD.totp_step AND NEW.totp_secret = OLD.totp_secret THEN
		RAISE EXCEPTION 'user %: the accepted one-time code cannot go back', OLD.user_id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER user_seconds_guard BEFORE UPDATE ON user_seconds FOR EACH ROW EXECUTE FUNCTION user_seconds_guard();

-- Who gave the password or used a link, and has a second step, is half-way in.
ALTER TABLE signins DROP CONSTRAINT signins_kind_check;
ALTER TABLE signins ADD CONSTRAINT signins_kind_check CHECK (kind IN ('customer', 'customer_pending', 'staff', 'pending'));
ALTER TABLE signins DROP CONSTRAINT signins_check1;
ALTER TABLE signins ADD CONSTRAINT signins_of_somebody CHECK (CASE
	WHEN kind IN ('customer', 'customer_pending') THEN customer_id IS NOT NULL AND user_id IS NOT NULL AND staff_id IS NULL
	ELSE customer_id IS NULL AND user_id IS NULL AND staff_id IS NOT NULL END);
