-- What becomes of an invoice that cannot be collected, or of a payment that a bank took back: tried again, then the team is paused,
-- then the order ends.
ALTER TABLE payments ADD COLUMN applied_to uuid REFERENCES invoices; -- the invoice that an advance payment was set against
ALTER TABLE payments ADD COLUMN hosted boolean NOT NULL DEFAULT false; -- on a page of the provider, not with what is on file
CREATE INDEX payments_applied ON payments (applied_to) WHERE applied_to IS NOT NULL;
ALTER TABLE payments ADD CONSTRAINT payments_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices;

ALTER TABLE payers ADD COLUMN told text NOT NULL DEFAULT ''; -- the card of which the customer was told that it expires

CREATE TABLE dunnings (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	invoice_id  uuid UNIQUE REFERENCES invoices,
	payment_id  uuid UNIQUE REFERENCES payments, -- that a bank took back
	state       text NOT NULL CHECK (state IN ('past_due', 'paused', 'last', 'ended')),
	tries       integer NOT NULL DEFAULT 0,
	since       timestamptz NOT NULL,
	next_at     timestamptz,                     -- when the next try is due
	paused_at   timestamptz,
	closed_at   timestamptz,                     -- when it was paid, or given up
	CONSTRAINT dunnings_of CHECK ((invoice_id IS NULL) <> (payment_id IS NULL)),
	CONSTRAINT dunnings_paused CHECK ((paused_at IS NOT NULL) = (state <> 'past_due'))
);
CREATE INDEX dunnings_open ON dunnings (customer_id) WHERE closed_at IS NULL;
