-- A month that is not charged, because the order was refunded whole: it is over, and no invoice comes of it.
ALTER TABLE billing_periods DROP CONSTRAINT billing_periods_state_check,
	ADD CONSTRAINT billing_periods_state_check CHECK (state IN ('ACTIVE', 'CLOSED', 'BILLED', 'WAIVED'));

CREATE OR REPLACE FUNCTION billing_periods_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.state IN ('BILLED', 'WAIVED') OR OLD.state = 'CLOSED' AND NEW.state = 'ACTIVE'
		OR OLD.state = 'ACTIVE' AND NEW.state = 'BILLED' OR OLD.from_at <> NEW.from_at OR OLD.customer_id <> NEW.customer_id
		OR OLD.state = 'CLOSED' AND (OLD.to_at <> NEW.to_at OR OLD.plans <> NEW.plans OR OLD.multiplier <> NEW.multiplier) THEN
		RAISE EXCEPTION 'period %: % cannot become % like this', OLD.id, OLD.state, NEW.state USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;

-- A refund that the provider took and could not carry out after all: the money of the credit note has not gone back.
ALTER TABLE credit_notes ADD COLUMN refund_failed_at timestamptz;
CREATE OR REPLACE FUNCTION credit_notes_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' OR OLD.refunded_at IS NOT NULL AND NEW.refund_failed_at IS NOT DISTINCT FROM OLD.refund_failed_at
		OR (OLD.number, OLD.invoice_id, OLD.net, OLD.tax, OLD.total, OLD.reason, OLD.issued_at, OLD.refund) IS DISTINCT FROM
		(NEW.number, NEW.invoice_id, NEW.net, NEW.tax, NEW.total, NEW.reason, NEW.issued_at, NEW.refund) THEN
		RAISE EXCEPTION 'credit note %: what was issued stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
