-- Customers of whom everything is erased that the law does not ask to keep. The row is there before anything is erased, and it is what
-- lets the guards of other tables through: nothing else does.
CREATE TABLE erasures (
	customer_id uuid PRIMARY KEY REFERENCES customers,
	erased_at   timestamptz NOT NULL,
	kept_until  timestamptz NOT NULL CHECK (kept_until > erased_at), -- when what the law asks to keep is deleted too
	done        boolean NOT NULL DEFAULT false,
	purged_at   timestamptz, -- when that was deleted
	CONSTRAINT erasures_purged CHECK (purged_at IS NULL OR done)
);
CREATE INDEX erasures_kept ON erasures (kept_until) WHERE purged_at IS NULL;

-- Only a customer who left is erased: whose servers were given back, and who has no month that is not settled. Nothing takes it back.
CREATE FUNCTION erasures_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND (NEW.customer_id, NEW.erased_at, NEW.kept_until) IS DISTINCT FROM
		(OLD.customer_id, OLD.erased_at, OLD.kept_until) OR TG_OP = 'UPDATE' AND (OLD.done AND NOT NEW.done OR OLD.purged_at IS NOT NULL) THEN
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
CREATE TRIGGER erasures_guard BEFORE INSERT OR UPDATE OR DELETE ON erasures FOR EACH ROW EXECUTE FUNCTION erasures_guard();

-- Whether a customer is being erased right now, in this transaction.
CREATE FUNCTION being_erased(customer uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM erasures WHERE customer_id = customer AND NOT done)
$$;

-- Whether what the law asked to keep of a customer may be deleted.
CREATE FUNCTION kept_long_enough(customer uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM erasures WHERE customer_id = customer AND done AND purged_at IS NULL AND kept_until <= now())
$$;

-- An erased customer begins nothing new.
CREATE FUNCTION erased_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM customers WHERE id = NEW.customer_id FOR SHARE;
	IF EXISTS (SELECT FROM erasures WHERE customer_id = NEW.customer_id) THEN
		RAISE EXCEPTION 'customer % was erased', NEW.customer_id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER erased_guard BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION erased_guard();
CREATE TRIGGER erased_guard BEFORE INSERT ON pending_checkouts FOR EACH ROW EXECUTE FUNCTION erased_guard();
CREATE TRIGGER erased_guard BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION erased_guard();
CREATE TRIGGER erased_guard BEFORE INSERT ON invitations FOR EACH ROW EXECUTE FUNCTION erased_guard();
CREATE TRIGGER erased_guard BEFORE INSERT ON customer_notes FOR EACH ROW EXECUTE FUNCTION erased_guard();
CREATE TRIGGER erased_guard BEFORE INSERT ON billing_customers FOR EACH ROW EXECUTE FUNCTION erased_guard();

CREATE FUNCTION customers_erased_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM erasures WHERE customer_id = OLD.id AND done) THEN
		RAISE EXCEPTION 'customer % was erased', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER customers_erased_guard BEFORE UPDATE ON customers FOR EACH ROW EXECUTE FUNCTION customers_erased_guard();

-- History is added to, never rewritten, until its customer is erased. The argument says whose a row is.
CREATE FUNCTION history_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	was jsonb := to_jsonb(OLD);
	customer uuid;
BEGIN
	customer := CASE TG_ARGV[0]
		WHEN 'order' THEN (SELECT o.customer_id FROM orders AS o WHERE o.id = (was->>'order_id')::uuid)
		WHEN 'server' THEN (SELECT s.customer_id FROM servers AS s WHERE s.id = (was->>'server_id')::uuid)
		ELSE (was->>'customer_id')::uuid END;
	IF NOT being_erased(customer) THEN
		RAISE EXCEPTION '% is only added to', TG_TABLE_NAME USING ERRCODE = 'GH001';
	END IF;
	RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

DROP TRIGGER audit_log_append_only ON audit_log;
DROP TRIGGER order_events_append_only ON order_events;
DROP TRIGGER checkpoints_append_only ON checkpoints;
DROP TRIGGER customer_notes_append_only ON customer_notes;
DROP TRIGGER overage_choices_append_only ON overage_choices;
CREATE TRIGGER audit_log_append_only BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER order_events_append_only BEFORE TRUNCATE ON order_events FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER checkpoints_append_only BEFORE TRUNCATE ON checkpoints FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER customer_notes_append_only BEFORE TRUNCATE ON customer_notes FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER overage_choices_append_only BEFORE TRUNCATE ON overage_choices FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER history_guard BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION history_guard('customer');
CREATE TRIGGER history_guard BEFORE UPDATE OR DELETE ON order_events FOR EACH ROW EXECUTE FUNCTION history_guard('order');
CREATE TRIGGER history_guard BEFORE UPDATE OR DELETE ON checkpoints FOR EACH ROW EXECUTE FUNCTION history_guard('server');
CREATE TRIGGER history_guard BEFORE UPDATE OR DELETE ON customer_notes FOR EACH ROW EXECUTE FUNCTION history_guard('customer');
CREATE TRIGGER history_guard BEFORE UPDATE OR DELETE ON overage_choices FOR EACH ROW EXECUTE FUNCTION history_guard('customer');

CREATE OR REPLACE FUNCTION order_log_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.at > now() - interval '90 days' AND NOT being_erased((SELECT o.customer_id FROM orders AS o WHERE o.id = OLD.order_id)) THEN
		RAISE EXCEPTION 'line % of an order''s log is kept for 90 days', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN OLD;
END $$;

CREATE OR REPLACE FUNCTION receipt_holds_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' AND being_erased((SELECT s.customer_id FROM servers AS s WHERE s.id = OLD.server_id)) THEN
		RETURN OLD;
	END IF;
	IF TG_OP <> 'UPDATE' OR OLD.released_at IS NOT NULL OR NEW.released_at IS NULL
		OR (NEW.id, NEW.server_id, NEW.why, NEW.said::text, NEW.at) IS DISTINCT FROM (OLD.id, OLD.server_id, OLD.why, OLD.said::text, OLD.at) THEN
		RAISE EXCEPTION 'a hold is released once and never changed otherwise';
	END IF;
	RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION users_keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF being_erased(OLD.customer_id) THEN
		RETURN NULL;
	END IF;
	PERFORM FROM customers WHERE id = OLD.customer_id FOR NO KEY UPDATE;
	IF NOT EXISTS (SELECT FROM users WHERE customer_id = OLD.customer_id AND role = 'owner') THEN
		RAISE EXCEPTION 'customer % would have no owner', OLD.customer_id USING ERRCODE = 'GH001', CONSTRAINT = 'users_keep_owner';
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION billing_cancellations_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' AND being_erased(OLD.customer_id) THEN
		RETURN OLD;
	END IF;
	IF TG_OP = 'DELETE' OR OLD.back_at IS NOT NULL OR OLD.ended_at IS NOT NULL OR (OLD.customer_id, OLD.period_id, OLD.at, OLD.by_kind,
		OLD.by_id, OLD.by_name, OLD.ends_at) IS DISTINCT FROM (NEW.customer_id, NEW.period_id, NEW.at, NEW.by_kind, NEW.by_id, NEW.by_name,
		NEW.ends_at) THEN
		RAISE EXCEPTION 'cancellation %: what was said stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;

-- What was issued stays as long as the law asks.
CREATE OR REPLACE FUNCTION invoices_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' AND kept_long_enough(OLD.customer_id) THEN
		RETURN OLD;
	END IF;
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
CREATE OR REPLACE FUNCTION credit_notes_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' AND kept_long_enough(OLD.customer_id) THEN
		RETURN OLD;
	END IF;
	IF TG_OP = 'DELETE' OR OLD.refunded_at IS NOT NULL AND NEW.refund_failed_at IS NOT DISTINCT FROM OLD.refund_failed_at
		OR (OLD.number, OLD.invoice_id, OLD.net, OLD.tax, OLD.total, OLD.reason, OLD.issued_at, OLD.refund) IS DISTINCT FROM
		(NEW.number, NEW.invoice_id, NEW.net, NEW.tax, NEW.total, NEW.reason, NEW.issued_at, NEW.refund) THEN
		RAISE EXCEPTION 'credit note %: what was issued stays', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
