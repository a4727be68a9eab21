-- What our staff need to come, to sign in and to go.
ALTER TABLE staff
	ADD COLUMN locale       text NOT NULL DEFAULT '',   -- language of pages and mails; '' until one was chosen
	ADD COLUMN seen_at      timestamptz,                -- exact to a minute
	ADD COLUMN second_at    timestamptz,                -- when the second step was set up; NULL after a reset, until it is again
	ADD COLUMN totp_next    bytea,                      -- one that waits for its first code; sealed as totp_secret is
	ADD COLUMN backup_codes text[] NOT NULL DEFAULT '{}'; -- hashes of those that are left
UPDATE staff SET second_at = created_at;

CREATE TABLE staff_invitations (
	id           uuid PRIMARY KEY,
	email        text NOT NULL CHECK (email <> ''),
	email_folded text NOT NULL CHECK (email_folded <> ''),
	role         text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MANAGER', 'SUPPORT')),
	locale       text NOT NULL DEFAULT '',
	by_id        uuid NOT NULL REFERENCES staff,
	totp_secret  bytea NOT NULL, -- what the app of the invited will be given; sealed
	created_at   timestamptz NOT NULL,
	sent_at      timestamptz,    -- the last mail
	expires_at   timestamptz,    -- of its link
	refused_at   timestamptz,    -- the mail server took no mail to that address
	accepted_at  timestamptz,
	revoked_at   timestamptz,
	staff_id     uuid REFERENCES staff,
	CHECK ((accepted_at IS NULL) = (staff_id IS NULL)),
	CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE UNIQUE INDEX staff_invitations_open ON staff_invitations (email_folded) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- An invitation ends once.
CREATE FUNCTION staff_invitations_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'invitation %: it has ended', OLD.id USING ERRCODE = 'GH001';
END $$;
CREATE TRIGGER staff_invitations_end BEFORE UPDATE ON staff_invitations FOR EACH ROW
	WHEN (OLD.accepted_at IS NOT NULL OR OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION staff_invitations_end();

-- Links that were mailed to staff: to join, or to set the second step up again. Only the hash of the secret is kept.
CREATE TABLE staff_links (
	hash          bytea PRIMARY KEY CHECK (length(hash) = 32),
	invitation_id uuid REFERENCES staff_invitations ON DELETE CASCADE,
	staff_id      uuid REFERENCES staff ON DELETE CASCADE,
	created_at    timestamptz NOT NULL,
	expires_at    timestamptz NOT NULL CHECK (expires_at > created_at),
	CHECK (num_nonnulls(invitation_id, staff_id) = 1)
);
CREATE INDEX staff_links_invitation ON staff_links (invitation_id) WHERE invitation_id IS NOT NULL;
CREATE INDEX staff_links_staff ON staff_links (staff_id) WHERE staff_id IS NOT NULL;

-- The last owner who can sign in stays one, whatever a program does. Two that go at once wait for each other here.
CREATE FUNCTION staff_last_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.role <> 'OWNER' OR OLD.off_at IS NOT NULL OR OLD.second_at IS NULL THEN
		RETURN coalesce(NEW, OLD);
	END IF;
	IF TG_OP = 'UPDATE' AND NEW.role = 'OWNER' AND NEW.off_at IS NULL AND NEW.second_at IS NOT NULL THEN
		RETURN NEW;
	END IF;
	PERFORM pg_advisory_xact_lock(hashtext('staff_last_owner'));
	IF NOT EXISTS (SELECT FROM staff WHERE id <> OLD.id AND role = 'OWNER' AND off_at IS NULL AND second_at IS NOT NULL) THEN
		RAISE EXCEPTION 'staff %: the last owner who can sign in', OLD.id USING ERRCODE = 'GH001', CONSTRAINT = 'staff_last_owner';
	END IF;
	RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER staff_last_owner BEFORE UPDATE OR DELETE ON staff FOR EACH ROW EXECUTE FUNCTION staff_last_owner();

-- Access keys of somebody who was switched off do not come back with them.
CREATE TRIGGER staff_off_ends_tokens AFTER UPDATE ON staff FOR EACH ROW
	WHEN (OLD.off_at IS NULL AND NEW.off_at IS NOT NULL) EXECUTE FUNCTION staff_end_tokens();
