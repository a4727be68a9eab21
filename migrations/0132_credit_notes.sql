-- What was credited against invoices: a credit note is issued like an invoice and never changes, but for when its money went back.
ALTER TABLE invoices ADD COLUMN credited bigint NOT NULL DEFAULT 0; -- of the total
ALTER TABLE invoices ADD CONSTRAINT invoices_credited CHECK (credited >= 0 AND credited <= total),
	ADD CONSTRAINT invoices_void CHECK (state <> 'void' OR credited = total);

CREATE TABLE credit_notes (
	id          uuid PRIMARY KEY,
	number      text NOT NULL UNIQUE,
	invoice_id  uuid NOT NULL REFERENCES invoices,
	customer_id uuid NOT NULL REFERENCES customers,
	net         bigint NOT NULL CHECK (net >= 0),
	tax         bigint NOT NULL CHECK (tax >= 0),
	total       bigint NOT NULL CHECK (total > 0),
	reason      text NOT NULL CHECK (reason <> ''),
	issued_at   timestamptz NOT NULL,
	by_id       text NOT NULL,
	by_name     text NOT NULL CHECK (by_name <> ''),
	refund      boolean NOT NULL, -- the invoice was paid: the money goes back
	refunded_at timestamptz,
	refunded_by text NOT NULL DEFAULT '',
	CONSTRAINT credit_notes_sum CHECK (total = net + tax),
	CONSTRAINT credit_notes_refunded CHECK ((refunded_at IS NULL) = (refunded_by = '') AND (refund OR refunded_at IS NULL))
);
CREATE INDEX credit_notes_invoice ON credit_notes (invoice_id, id);
CREATE INDEX credit_notes_customer ON credit_notes (customer_id, id DESC);
CREATE INDEX credit_notes_refund ON credit_notes (issued_at) WHERE refund AND refunded_at IS NULL;

CREATE FUNCTION credit_notes_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' OR OLD.refunded_at IS NOT NULL OR (OLD.number, OLD.invoice_id, OLD.net, OLD.tax, OLD.total, OLD.reason,
		OLD.issued_at, OLD.refund) IS DISTINCT FROM (NEW.number, NEW.invoice_id, NEW.net, NEW.tax, NEW.total, NEW.reason, NEW.issued_at,
		NEW.refund) THEN
		RAISE EXCEPTION 'credit note %: what was issued stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER credit_notes_guard BEFORE UPDATE OR DELETE ON credit_notes FOR EACH ROW EXECUTE FUNCTION credit_notes_guard();
