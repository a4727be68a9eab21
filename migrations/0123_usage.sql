-- What the meters on servers counted, per hour. Counts are cumulative: a later report replaces a row, and the largest
-- revision stays, so that repeats and disorder change nothing. All tokens of a row are in input, output, cache_read and
-- cache_write; est_input and est_output say how many of those were estimated.
CREATE TABLE usage_buckets (
	server_id   uuid NOT NULL REFERENCES servers,
	epoch       text NOT NULL CHECK (epoch <> ''),
	hour        timestamptz NOT NULL CHECK (date_trunc('hour', hour, 'UTC') = hour),
	agent       text NOT NULL,
	parent      text NOT NULL,
	model       text NOT NULL,
	profile     text NOT NULL,
	key         text NOT NULL CHECK (key IN ('house', 'own', 'local')),
	customer_id uuid NOT NULL REFERENCES customers,
	revision    bigint NOT NULL CHECK (revision > 0),
	requests    bigint NOT NULL CHECK (requests >= 0),
	estimated   bigint NOT NULL CHECK (estimated BETWEEN 0 AND requests),
	input       bigint NOT NULL CHECK (input >= 0),
	output      bigint NOT NULL CHECK (output >= 0),
	cache_read  bigint NOT NULL CHECK (cache_read >= 0),
	cache_write bigint NOT NULL CHECK (cache_write >= 0),
	est_input   bigint NOT NULL CHECK (est_input BETWEEN 0 AND input),
	est_output  bigint NOT NULL CHECK (est_output BETWEEN 0 AND output),
	searches    bigint NOT NULL CHECK (searches >= 0),
	fetches     bigint NOT NULL CHECK (fetches >= 0),
	PRIMARY KEY (server_id, epoch, hour, agent, parent, model, profile, key)
);
CREATE INDEX usage_buckets_customer ON usage_buckets (customer_id, hour);
CREATE INDEX usage_buckets_hour ON usage_buckets (hour);
