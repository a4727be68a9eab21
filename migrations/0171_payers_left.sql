-- Customers at the payment provider whose customer here was erased: they are deleted there too. The id stays as long as payments do, so
-- that what is reported about it later is known for what it is, and not kept as it came.
CREATE TABLE payers_left (
	provider_id text PRIMARY KEY CHECK (provider_id <> ''),
	customer_id uuid NOT NULL REFERENCES customers,
	asked_at    timestamptz NOT NULL,
	removed_at  timestamptz -- when it was gone there
);
CREATE INDEX payers_left_open ON payers_left (asked_at) WHERE removed_at IS NULL;
CREATE INDEX payers_left_customer ON payers_left (customer_id);

-- How long what the law asks for is kept may grow: a credit note that comes later is kept as long as any other.
CREATE OR REPLACE FUNCTION erasures_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND ((NEW.customer_id, NEW.erased_at) IS DISTINCT FROM (OLD.customer_id, OLD.erased_at)
		OR NEW.kept_until < OLD.kept_until OR OLD.done AND NOT NEW.done OR OLD.purged_at IS NOT NULL) THEN
		RAISE EXCEPTION 'customer %: what was erased stays so', OLD.customer_id USING ERRCODE = 'GH001';
	END IF;
	IF TG_OP = 'INSERT' THEN
		PERFORM FROM customers WHERE id = NEW.customer_id FOR UPDATE;
		IF NOT EXISTS (SELECT FROM orders WHERE customer_id = NEW.customer_id AND state = 'RELEASED')
			OR EXISTS (SELECT FROM orders WHERE customer_id = NEW.customer_id AND state NOT IN ('RELEASED', 'CANCELLED'))
			OR EXISTS (SELECT FROM billing_periods WHERE customer_id = NEW.customer_id AND state IN ('ACTIVE', 'CLOSED')) THEN
			RAISE EXCEPTION 'customer % has not left', NEW.customer_id USING ERRCODE = 'GH001';
		END IF;
	END IF;
	RETURN NEW;
END $$;
