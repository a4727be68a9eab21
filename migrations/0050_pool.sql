-- Machines of our own that wait for customers.
CREATE TABLE pool_machines (
	id         uuid PRIMARY KEY,
	name       text NOT NULL CHECK (name <> ''),
	address    text NOT NULL UNIQUE CHECK (address <> ''),
	port       int NOT NULL CHECK (port BETWEEN 1 AND 65535),
	login      text NOT NULL CHECK (login <> ''),
	region     text NOT NULL CHECK (region IN ('eu', 'na')),
	host_key   text NOT NULL DEFAULT '', -- as in authorized_keys
	state      text NOT NULL CHECK (state IN ('free', 'held', 'taken', 'needs_hands')),
	server_id  uuid UNIQUE,              -- kept when the server's row is gone: the machine still has to be installed anew
	system     text NOT NULL DEFAULT '',
	problem    text NOT NULL DEFAULT '',
	checked_at timestamptz,
	created_at timestamptz NOT NULL,
	CONSTRAINT pool_machines_server CHECK ((state IN ('taken', 'needs_hands')) = (server_id IS NOT NULL))
);
CREATE INDEX pool_machines_free ON pool_machines (region, created_at) WHERE state = 'free';

-- Setting a server's machine up: who is at it, and how far it is. A worker writes only while its attempt is the newest.
CREATE TABLE setups (
	server_id uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	attempt   int NOT NULL CHECK (attempt > 0),
	beat_at   timestamptz NOT NULL, -- when the worker was last heard of
	ended_at  timestamptz           -- when the attempt ended, well or not; NULL while it runs
);
CREATE INDEX setups_running ON setups (beat_at) WHERE ended_at IS NULL;

CREATE TABLE setup_steps (
	server_id  uuid NOT NULL REFERENCES setups ON DELETE CASCADE,
	attempt    int NOT NULL,
	step       text NOT NULL CHECK (step <> ''),
	state      text NOT NULL CHECK (state IN ('running', 'done', 'kept', 'failed', 'cut off')),
	note       text NOT NULL DEFAULT '',
	started_at timestamptz NOT NULL,
	ended_at   timestamptz,
	PRIMARY KEY (server_id, attempt, step),
	CONSTRAINT setup_steps_ended CHECK ((state = 'running') = (ended_at IS NULL))
);

-- Where the server of an order is set up, when our staff chose that for it; empty: where the hub sets servers up.
ALTER TABLE orders ADD COLUMN provider text NOT NULL DEFAULT '';
