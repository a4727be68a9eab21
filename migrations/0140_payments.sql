-- What customers pay through the payment provider: orders that wait for their payment, every try to take money, what went back, and
-- what the provider said by itself, as it came.
CREATE TABLE pending_checkouts (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	ordered_by  uuid NOT NULL REFERENCES users,
	choice      jsonb NOT NULL,             -- all that was chosen, the first key of the browser too, as the order takes it
	price       bigint NOT NULL CHECK (price > 0),
	currency    text NOT NULL CHECK (currency <> ''),
	state       text NOT NULL CHECK (state IN ('open', 'ordered', 'closed')),
	order_id    uuid UNIQUE REFERENCES orders,
	told_at     timestamptz,                -- when the customer was mailed that it waits
	created_at  timestamptz NOT NULL,
	CONSTRAINT pending_checkouts_order CHECK ((state = 'ordered') = (order_id IS NOT NULL))
);
CREATE INDEX pending_checkouts_customer ON pending_checkouts (customer_id, id DESC);
CREATE INDEX pending_checkouts_open ON pending_checkouts (created_at) WHERE state = 'open';

CREATE TABLE payments (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	checkout_id uuid REFERENCES pending_checkouts,
	order_id    uuid UNIQUE REFERENCES orders, -- the order that it made: of all payments of an order, one
	invoice_id  uuid,
	amount      bigint NOT NULL CHECK (amount > 0),
	currency    text NOT NULL CHECK (currency <> ''),
	state       text NOT NULL CHECK (state IN ('asked', 'waiting', 'processing', 'paid', 'failed', 'expired')),
	page        text UNIQUE,                -- the provider's id of its page
	intent      text UNIQUE,                -- the provider's id of the payment
	code        text NOT NULL DEFAULT '',
	refunded    bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
	looks       integer NOT NULL DEFAULT 0,
	tried_at    timestamptz,
	created_at  timestamptz NOT NULL,
	updated_at  timestamptz NOT NULL,
	paid_at     timestamptz,
	CONSTRAINT payments_for CHECK ((checkout_id IS NULL) <> (invoice_id IS NULL)),
	CONSTRAINT payments_paid CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
	CONSTRAINT payments_order CHECK (order_id IS NULL OR state = 'paid' AND checkout_id IS NOT NULL)
);
CREATE INDEX payments_customer ON payments (customer_id, id DESC);
CREATE INDEX payments_checkout ON payments (checkout_id, id DESC);
CREATE INDEX payments_unsettled ON payments (updated_at) WHERE state IN ('asked', 'waiting', 'processing');
-- An invoice is paid by one try at a time, and once.
CREATE UNIQUE INDEX payments_invoice ON payments (invoice_id) WHERE state IN ('asked', 'waiting', 'processing', 'paid');

-- What is paid stays paid, and what it was for does not change, whatever a program does.
CREATE FUNCTION payments_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.state = 'paid' AND NEW.state <> 'paid' OR NEW.amount <> OLD.amount OR NEW.currency <> OLD.currency
		OR NEW.customer_id <> OLD.customer_id OR NEW.checkout_id IS DISTINCT FROM OLD.checkout_id
		OR NEW.invoice_id IS DISTINCT FROM OLD.invoice_id OR OLD.order_id IS NOT NULL AND NEW.order_id IS DISTINCT FROM OLD.order_id
		OR OLD.intent IS NOT NULL AND NEW.intent IS DISTINCT FROM OLD.intent THEN
		RAISE EXCEPTION 'payment % cannot change like this', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER payments_guard BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION payments_guard();

CREATE TABLE refunds (
	id          uuid PRIMARY KEY,
	payment_id  uuid NOT NULL REFERENCES payments ON DELETE CASCADE,
	amount      bigint NOT NULL CHECK (amount > 0),
	why         text NOT NULL CHECK (why IN ('twice', 'cancelled', 'wrong', 'staff')),
	reason      text NOT NULL DEFAULT '',
	by_name     text NOT NULL CHECK (by_name <> ''),
	state       text NOT NULL CHECK (state IN ('asked', 'done', 'failed')),
	provider_id text UNIQUE,
	code        text NOT NULL DEFAULT '',
	tried_at    timestamptz,
	created_at  timestamptz NOT NULL,
	done_at     timestamptz,
	CONSTRAINT refunds_done CHECK ((state = 'asked') = (done_at IS NULL))
);
CREATE INDEX refunds_payment ON refunds (payment_id, id);

-- Customers at the provider, and what may be shown of their means of payment.
CREATE TABLE payers (
	customer_id uuid PRIMARY KEY REFERENCES customers ON DELETE CASCADE,
	provider_id text NOT NULL UNIQUE CHECK (provider_id <> ''),
	method_id   text NOT NULL DEFAULT '',
	kind        text NOT NULL DEFAULT '',
	brand       text NOT NULL DEFAULT '',
	last4       text NOT NULL DEFAULT '',
	exp_month   integer NOT NULL DEFAULT 0,
	exp_year    integer NOT NULL DEFAULT 0,
	seen_at     timestamptz
);

CREATE TABLE disputes (
	id         text PRIMARY KEY, -- the provider's
	payment_id uuid NOT NULL REFERENCES payments ON DELETE CASCADE,
	amount     bigint NOT NULL CHECK (amount >= 0),
	reason     text NOT NULL,
	state      text NOT NULL CHECK (state <> ''),
	due_at     timestamptz,
	opened_at  timestamptz NOT NULL,
	seen_at    timestamptz NOT NULL
);
CREATE INDEX disputes_payment ON disputes (payment_id);

CREATE TABLE stripe_events (
	id          text PRIMARY KEY,
	kind        text NOT NULL,
	object      text NOT NULL,
	object_id   text NOT NULL,
	intent      text NOT NULL,
	payer       text NOT NULL,
	made_at     timestamptz NOT NULL,
	raw         bytea NOT NULL,       -- the bytes that were signed
	received_at timestamptz NOT NULL,
	done_at     timestamptz,
	outcome     text NOT NULL DEFAULT ''
);
CREATE INDEX stripe_events_made ON stripe_events (made_at DESC);
CREATE INDEX stripe_events_received ON stripe_events (received_at DESC, id DESC);
