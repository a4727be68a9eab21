-- How full the pool of a period was when it was looked at last, and what its owners were told about that.
CREATE TABLE pool_fills (
	period_id uuid PRIMARY KEY REFERENCES billing_periods,
	drawn     bigint NOT NULL CHECK (drawn >= 0), -- tokens, also beyond the pool
	pool      bigint NOT NULL CHECK (pool >= 0),
	at        timestamptz NOT NULL,
	next_at   timestamptz NOT NULL                -- when it is looked at again
);
CREATE INDEX pool_fills_next ON pool_fills (next_at);

CREATE TABLE pool_notices (
	id        uuid PRIMARY KEY,
	period_id uuid NOT NULL REFERENCES billing_periods,
	percent   smallint NOT NULL CHECK (percent IN (80, 100)), -- of the pool that were used, at least
	drawn     bigint NOT NULL CHECK (drawn >= 0),
	pool      bigint NOT NULL CHECK (pool >= 0),
	at        timestamptz NOT NULL,
	UNIQUE (period_id, percent)
);
