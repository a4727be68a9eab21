-- Keys at the model provider, one of its own for each customer's server, where the operator lets the hub make them.
CREATE TABLE model_keys (
	server_id   uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	key_id      text NOT NULL UNIQUE CHECK (key_id <> ''), -- by which the provider counts
	account     text NOT NULL CHECK (account <> ''),       -- what the provider made for it
	sealed      bytea,                                     -- what requests show, closed with the key file; NULL once it was ended
	made_at     timestamptz NOT NULL,
	since       timestamptz NOT NULL CHECK (date_trunc('hour', since, 'UTC') = since), -- until then both counts are equal
	off         text NOT NULL DEFAULT '',                  -- how they differ since then
	compared_at timestamptz,
	ended_at    timestamptz,
	CONSTRAINT model_keys_ended CHECK ((ended_at IS NULL) = (sealed IS NOT NULL))
);
