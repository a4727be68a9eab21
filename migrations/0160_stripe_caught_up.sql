-- How far the events of the payment provider were fetched: everything that happened until then is kept. One row at most.
CREATE TABLE stripe_caught_up (
	one   boolean PRIMARY KEY DEFAULT true CHECK (one),
	until timestamptz NOT NULL
);
