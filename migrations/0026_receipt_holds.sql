-- The log of a server must go on from what is anchored. One that does not puts the server on hold until a person releases
-- it; what comes then is a new history.
CREATE TABLE receipt_holds (
	id          uuid PRIMARY KEY,
	server_id   uuid NOT NULL REFERENCES servers,
	why         text NOT NULL CHECK (why <> ''),
	said        json, -- the checkpoint that the server signed, if it was found by one
	at          timestamptz NOT NULL,
	released_at timestamptz CHECK (released_at >= at)
);
CREATE UNIQUE INDEX receipt_holds_open ON receipt_holds (server_id) WHERE released_at IS NULL;
CREATE INDEX receipt_holds_server ON receipt_holds (server_id);

-- A hold is released once and never changed otherwise.
CREATE FUNCTION receipt_holds_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'UPDATE' OR OLD.released_at IS NOT NULL OR NEW.released_at IS NULL
		OR (NEW.id, NEW.server_id, NEW.why, NEW.said::text, NEW.at) IS DISTINCT FROM (OLD.id, OLD.server_id, OLD.why, OLD.said::text, OLD.at) THEN
		RAISE EXCEPTION 'a hold is released once and never changed otherwise';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER receipt_holds_guard BEFORE UPDATE OR DELETE ON receipt_holds FOR EACH ROW EXECUTE FUNCTION receipt_holds_guard();

-- Checkpoints name the one before them, those of an older agentd none. History counts the releases before.
ALTER TABLE checkpoints
	ADD COLUMN prev_seq bigint NOT NULL DEFAULT 0 CHECK (prev_seq >= 0),
	ADD COLUMN prev_hash text NOT NULL DEFAULT '' CHECK (prev_hash ~ '^([0-9a-f]{64})?$'),
	ADD COLUMN history bigint NOT NULL DEFAULT 0,
	DROP CONSTRAINT checkpoints_pkey,
	ADD PRIMARY KEY (server_id, history, key_id, seq);
