-- The code that one of our staff was mailed to confirm an act that cannot be taken back. Each has one at most: a new one takes the
-- place of the one before. The code itself stands in the mail alone; its hash is made with a key that is not in this database.
CREATE TABLE staff_codes (
	staff_id   uuid PRIMARY KEY REFERENCES staff ON DELETE CASCADE,
	ref        text NOT NULL CHECK (ref <> ''),    -- names the mail: an older one that comes late keeps nothing
	action     text NOT NULL CHECK (action <> ''), -- noun.verb, as in the record of changes
	object     text NOT NULL CHECK (object <> ''), -- id of what the act is on
	name       text NOT NULL,                      -- what people call it
	hash       bytea CHECK (length(hash) = 32),    -- none until the mail is written
	tries      int NOT NULL DEFAULT 0 CHECK (tries >= 0),
	asked_at   timestamptz NOT NULL,
	expires_at timestamptz,
	CONSTRAINT staff_codes_mailed CHECK ((hash IS NULL) = (expires_at IS NULL))
);

-- Tries are never forgotten while a code is the same, whatever a program does.
CREATE FUNCTION staff_codes_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.tries < OLD.tries AND NEW.hash = OLD.hash THEN
		RAISE EXCEPTION 'staff %: tries of a code cannot go back', OLD.staff_id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER staff_codes_guard BEFORE UPDATE ON staff_codes FOR EACH ROW EXECUTE FUNCTION staff_codes_guard();
