-- The connection to the account at netcup. There is one row at most.
CREATE TABLE netcup_link (
	one            boolean PRIMARY KEY DEFAULT true CHECK (one),
	refresh_sealed bytea,       -- NULL: not connected
	access_sealed  bytea,
	access_until   timestamptz,
	account_id     bigint NOT NULL DEFAULT 0,
	account        text NOT NULL DEFAULT '',
	by_name        text NOT NULL DEFAULT '', -- who connected it
	at             timestamptz,
	refreshed_at   timestamptz,
	problem        text NOT NULL DEFAULT '',
	problem_at     timestamptz,
	device_sealed  bytea,                    -- of a connection that waits for a yes
	ask_code       text NOT NULL DEFAULT '',
	ask_page       text NOT NULL DEFAULT '',
	ask_by         text NOT NULL DEFAULT '',
	ask_at         timestamptz,
	ask_until      timestamptz,
	ask_every_ms   bigint NOT NULL DEFAULT 0,
	ask_next       timestamptz,
	ask_end        text NOT NULL DEFAULT '' CHECK (ask_end IN ('', 'refused', 'expired', 'stopped')),
	CHECK ((refresh_sealed IS NULL) = (at IS NULL)),
	CHECK (access_sealed IS NULL OR refresh_sealed IS NOT NULL)
);

-- Machines at netcup that our staff let the hub hand out.
CREATE TABLE adopted_machines (
	id         bigint PRIMARY KEY, -- netcup's own number
	name       text NOT NULL,
	product    text NOT NULL,
	region     text NOT NULL CHECK (region IN ('eu', 'na')),
	plan       text NOT NULL DEFAULT '', -- orders of this plan alone get it; empty: any
	address    text NOT NULL,
	port       integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
	host_key   text NOT NULL DEFAULT '',
	state      text NOT NULL CHECK (state IN ('free', 'held', 'taken', 'wiping', 'needs_hands')),
	server_id  uuid UNIQUE,
	marked     boolean NOT NULL DEFAULT false,
	mark       text NOT NULL DEFAULT '', -- where netcup's record stood before a new system was asked for
	task       text NOT NULL DEFAULT '', -- what netcup calls that work
	problem    text NOT NULL DEFAULT '',
	adopted_at timestamptz NOT NULL,
	since      timestamptz NOT NULL,
	CONSTRAINT adopted_machines_server CHECK ((state = 'taken') = (server_id IS NOT NULL))
);
CREATE INDEX adopted_machines_free ON adopted_machines (region, since) WHERE state = 'free';
CREATE INDEX adopted_machines_wiping ON adopted_machines (id) WHERE state = 'wiping';

-- What came back when a provider was asked last whether it answers.
CREATE TABLE provider_checks (
	provider text PRIMARY KEY,
	at       timestamptz NOT NULL,
	by_name  text NOT NULL,
	ok       boolean NOT NULL,
	said     text NOT NULL -- in words for people
);
