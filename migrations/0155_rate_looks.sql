-- How the last look for the exchange rate of the day went. There is one row at most.
CREATE TABLE rate_looks (
	one     boolean PRIMARY KEY DEFAULT true CHECK (one),
	since   timestamptz NOT NULL, -- the first look ever
	at      timestamptz NOT NULL, -- the last one
	day     date,                 -- of the rate that was answered last
	problem text NOT NULL DEFAULT '' CHECK (problem IN ('', 'unreachable', 'unreadable', 'old', 'odd')),
	offered bigint NOT NULL DEFAULT 0, -- of an odd answer: EUR micros per USD
	alert   boolean NOT NULL DEFAULT false -- somebody has to see to it
);
