-- Plans that customers cancelled: who did so and when, when the plan ends, and whether that was taken back. Nothing is deleted.
CREATE TABLE billing_cancellations (
	id           uuid PRIMARY KEY,
	customer_id  uuid NOT NULL REFERENCES customers,
	period_id    uuid NOT NULL REFERENCES billing_periods, -- the last one
	at           timestamptz NOT NULL,
	by_kind      text NOT NULL CHECK (by_kind <> ''),
	by_id        text NOT NULL,
	by_name      text NOT NULL,
	ends_at      timestamptz NOT NULL,                     -- when that period ends
	back_at      timestamptz,                              -- when it was taken back
	back_by_kind text NOT NULL DEFAULT '',
	back_by_id   text NOT NULL DEFAULT '',
	back_by_name text NOT NULL DEFAULT '',
	ended_at     timestamptz,                              -- when the plan was ended because of it, or had ended before
	CONSTRAINT billing_cancellations_one CHECK (back_at IS NULL OR ended_at IS NULL),
	CONSTRAINT billing_cancellations_back CHECK ((back_at IS NULL) = (back_by_kind = '') AND back_at < ends_at),
	CONSTRAINT billing_cancellations_order CHECK (at < ends_at)
);
CREATE UNIQUE INDEX billing_cancellations_open ON billing_cancellations (customer_id) WHERE back_at IS NULL AND ended_at IS NULL;
CREATE INDEX billing_cancellations_customer ON billing_cancellations (customer_id, id DESC);

-- What was said stays: a cancellation is taken back or comes true, once.
CREATE FUNCTION billing_cancellations_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' OR OLD.back_at IS NOT NULL OR OLD.ended_at IS NOT NULL OR (OLD.customer_id, OLD.period_id, OLD.at, OLD.by_kind,
		OLD.by_id, OLD.by_name, OLD.ends_at) IS DISTINCT FROM (NEW.customer_id, NEW.period_id, NEW.at, NEW.by_kind, NEW.by_id, NEW.by_name,
		NEW.ends_at) THEN
		RAISE EXCEPTION 'cancellation %: what was said stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER billing_cancellations_guard BEFORE UPDATE OR DELETE ON billing_cancellations
	FOR EACH ROW EXECUTE FUNCTION billing_cancellations_guard();

-- When an order ended: the team rests from then on, and its last month ends with that hour.
ALTER TABLE orders ADD COLUMN ended_at timestamptz;
ALTER TABLE orders DISABLE TRIGGER USER; -- the guards are about the way of an order
UPDATE orders SET ended_at = coalesce((SELECT max(e.at) FROM order_events AS e WHERE e.order_id = orders.id AND e.state = 'ENDED'), updated_at)
	WHERE release_at IS NOT NULL;
ALTER TABLE orders ENABLE TRIGGER USER;
ALTER TABLE orders ADD CONSTRAINT orders_ended_at CHECK ((ended_at IS NOT NULL) = (release_at IS NOT NULL));
