-- What our staff, or the hub by itself, had a provider do with the machine of a server, and how it ended.
CREATE TABLE machine_acts (
	id        uuid PRIMARY KEY,
	server_id uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	verb      text NOT NULL CHECK (verb <> ''),
	login_key text NOT NULL DEFAULT '', -- public SSH key that a rescue system lets in
	name      text NOT NULL DEFAULT '', -- of the snapshot
	snapshot  text NOT NULL DEFAULT '', -- the provider's own name of it
	by_name   text NOT NULL CHECK (by_name <> ''),
	state     text NOT NULL CHECK (state IN ('asked', 'underway', 'done', 'failed', 'unknown')),
	mark      text,                     -- where the provider's record stood before the first try
	task      text NOT NULL DEFAULT '', -- what the provider calls what it began
	said      text NOT NULL DEFAULT '',
	at        timestamptz NOT NULL,
	ended_at  timestamptz,
	CONSTRAINT machine_acts_ended CHECK ((state IN ('asked', 'underway')) = (ended_at IS NULL))
);
CREATE INDEX machine_acts_server ON machine_acts (server_id, id DESC);
-- One thing at a time, and each snapshot is asked for once.
CREATE UNIQUE INDEX machine_acts_one ON machine_acts (server_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX machine_acts_take ON machine_acts (server_id, name) WHERE verb = 'snapshot.take';

-- What ended stays as it ended, whatever a program does.
CREATE FUNCTION machine_acts_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.ended_at IS NOT NULL OR OLD.mark IS DISTINCT FROM NEW.mark AND OLD.mark IS NOT NULL THEN
		RAISE EXCEPTION 'act %: it ended, or its mark is taken already', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER machine_acts_guard BEFORE UPDATE ON machine_acts FOR EACH ROW EXECUTE FUNCTION machine_acts_guard();

-- How machines were when their providers were asked last.
CREATE TABLE machines_seen (
	server_id uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	power     text NOT NULL DEFAULT 'unknown' CHECK (power IN ('on', 'off', 'changes', 'unknown')),
	rescue    boolean NOT NULL DEFAULT false,
	measures  jsonb NOT NULL DEFAULT '[]',
	problem   text NOT NULL DEFAULT '',
	seen_at   timestamptz
);

-- The snapshots of servers, as their providers listed them last. The disks themselves lie at the providers.
CREATE TABLE machine_snapshots (
	id        uuid PRIMARY KEY,
	server_id uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	place     text NOT NULL CHECK (place <> ''), -- the provider's own name of it
	name      text NOT NULL,
	size      bigint NOT NULL CHECK (size >= 0), -- bytes; 0: not said
	made_at   timestamptz NOT NULL,
	ready     boolean NOT NULL,
	UNIQUE (server_id, place)
);

-- Who agreed that snapshots are made. There is no line for a customer who did not, or took it back.
CREATE TABLE snapshot_consents (
	customer_id uuid PRIMARY KEY REFERENCES customers ON DELETE CASCADE,
	user_id     uuid NOT NULL REFERENCES users,
	at          timestamptz NOT NULL
);
