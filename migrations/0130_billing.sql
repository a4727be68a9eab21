-- What customers owe: their months, and the invoices that come of them.
CREATE TABLE billing_periods (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers,
	number      int NOT NULL CHECK (number > 0), -- of the customer, in a row
	anchor      timestamptz NOT NULL,            -- when the first one began
	from_at     timestamptz NOT NULL,
	to_at       timestamptz NOT NULL,            -- no part of it
	state       text NOT NULL CHECK (state IN ('ACTIVE', 'CLOSED', 'BILLED')),
	plans       jsonb NOT NULL CHECK (jsonb_typeof(plans) = 'array' AND jsonb_array_length(plans) > 0),
	multiplier  bigint NOT NULL DEFAULT 1 CHECK (multiplier BETWEEN 1 AND 100), -- of the pool
	closed_at   timestamptz,
	billed_at   timestamptz,
	held        text NOT NULL DEFAULT '', -- why there is no invoice yet
	UNIQUE (customer_id, number),
	CONSTRAINT billing_periods_hours CHECK (from_at < to_at AND date_trunc('hour', from_at, 'UTC') = from_at
		AND date_trunc('hour', to_at, 'UTC') = to_at),
	CONSTRAINT billing_periods_closed CHECK ((state = 'ACTIVE') = (closed_at IS NULL)),
	CONSTRAINT billing_periods_billed CHECK ((state = 'BILLED') = (billed_at IS NOT NULL)),
	CONSTRAINT billing_periods_held CHECK (held = '' OR state = 'CLOSED')
);
CREATE UNIQUE INDEX billing_periods_one ON billing_periods (customer_id) WHERE state = 'ACTIVE';
CREATE INDEX billing_periods_ends ON billing_periods (to_at) WHERE state = 'ACTIVE';
CREATE INDEX billing_periods_unbilled ON billing_periods (to_at) WHERE state = 'CLOSED';
CREATE INDEX billing_periods_customer ON billing_periods (customer_id, from_at DESC);

-- A period moves forward only, and what is billed stays as it is, whatever a program does.
CREATE FUNCTION billing_periods_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.state = 'BILLED' OR OLD.state = 'CLOSED' AND NEW.state = 'ACTIVE'
		OR OLD.state = 'ACTIVE' AND NEW.state = 'BILLED' OR OLD.from_at <> NEW.from_at OR OLD.customer_id <> NEW.customer_id
		OR OLD.state = 'CLOSED' AND (OLD.to_at <> NEW.to_at OR OLD.plans <> NEW.plans OR OLD.multiplier <> NEW.multiplier) THEN
		RAISE EXCEPTION 'period %: % cannot become % like this', OLD.id, OLD.state, NEW.state USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER billing_periods_guard BEFORE UPDATE ON billing_periods FOR EACH ROW EXECUTE FUNCTION billing_periods_guard();

-- The last number of each year: locked by whoever takes the next, until their transaction ends.
CREATE TABLE invoice_counters (
	series text NOT NULL CHECK (series <> ''),
	year   int NOT NULL,
	last   bigint NOT NULL CHECK (last > 0),
	PRIMARY KEY (series, year)
);

-- Amounts are cents. Lines and terms are frozen as they were when it was issued.
CREATE TABLE invoices (
	id          uuid PRIMARY KEY,
	number      text NOT NULL UNIQUE,
	customer_id uuid NOT NULL REFERENCES customers,
	period_id   uuid NOT NULL UNIQUE REFERENCES billing_periods,
	from_at     timestamptz NOT NULL,
	to_at       timestamptz NOT NULL,
	net         bigint NOT NULL,
	tax         bigint NOT NULL,
	total       bigint NOT NULL,
	currency    text NOT NULL CHECK (currency = 'EUR'),
	state       text NOT NULL CHECK (state IN ('open', 'paid', 'uncollectible', 'void')),
	issued_at   timestamptz NOT NULL,
	due_at      timestamptz NOT NULL,
	paid_at     timestamptz,
	paid_by     text NOT NULL DEFAULT '',
	failed_at   timestamptz,
	failed_why  text NOT NULL DEFAULT '',
	lines       jsonb NOT NULL,
	terms       jsonb NOT NULL,
	CONSTRAINT invoices_sum CHECK (total = net + tax AND total >= 0),
	CONSTRAINT invoices_due CHECK (due_at >= issued_at),
	CONSTRAINT invoices_paid CHECK ((state = 'paid') <= (paid_at IS NOT NULL AND paid_by <> ''))
);
CREATE INDEX invoices_customer ON invoices (customer_id, id DESC);
CREATE INDEX invoices_open ON invoices (due_at) WHERE state = 'open';

CREATE FUNCTION invoices_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		RAISE EXCEPTION 'invoice %: what was issued stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF (OLD.number, OLD.customer_id, OLD.period_id, OLD.from_at, OLD.to_at, OLD.net, OLD.tax, OLD.total, OLD.issued_at, OLD.due_at, OLD.lines,
		OLD.terms) IS DISTINCT FROM (NEW.number, NEW.customer_id, NEW.period_id, NEW.from_at, NEW.to_at, NEW.net, NEW.tax, NEW.total,
		NEW.issued_at, NEW.due_at, NEW.lines, NEW.terms) OR OLD.state = 'void' AND NEW.state <> 'void' THEN
		RAISE EXCEPTION 'invoice %: what was issued stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER invoices_guard BEFORE UPDATE OR DELETE ON invoices FOR EACH ROW EXECUTE FUNCTION invoices_guard();
