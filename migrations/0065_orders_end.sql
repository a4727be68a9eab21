-- How an order ends: stopped while its server is set up, ended after it was fulfilled, and replaced by another one for the same
-- customer. STOPPING and RELEASING give back what was made; both are steps, so they are tried again and can fail like any other.
CREATE OR REPLACE FUNCTION order_may(was text, failed_step text, next text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(CASE
		WHEN was = 'FAILED' THEN next = failed_step
			OR next = 'CANCELLED' AND order_place(failed_step) < order_place('PROVISIONING')
			OR next = 'STOPPING' AND failed_step = 'PROVISIONING'
		WHEN was IN ('CANCELLED', 'RELEASED') THEN false
		WHEN was = 'FULFILLED' THEN next = 'ENDED'
		WHEN was = 'ENDED' THEN next IN ('FULFILLED', 'RELEASING')
		WHEN next = 'FAILED' THEN true
		WHEN was = 'STOPPING' THEN next = 'CANCELLED'
		WHEN was = 'RELEASING' THEN next = 'RELEASED'
		WHEN next = 'CANCELLED' THEN order_place(was) < order_place('PROVISIONING')
		WHEN next = 'STOPPING' THEN was = 'PROVISIONING'
		ELSE order_place(next) = order_place(was) + 1 END, false)
$$;

ALTER TABLE orders
	ADD COLUMN standing   text NOT NULL DEFAULT 'main' CHECK (standing IN ('main', 'next', 'former')),
	ADD COLUMN replaces   uuid REFERENCES orders, -- the order whose server this one's is to replace
	ADD COLUMN end_reason text NOT NULL DEFAULT '' CHECK (end_reason IN ('', 'closed', 'refunded', 'unpaid', 'replaced')),
	ADD COLUMN release_at timestamptz,            -- when the server is given back, unless somebody keeps it
	DROP CONSTRAINT orders_state_check,
	DROP CONSTRAINT orders_failed_step_check,
	DROP CONSTRAINT orders_fulfilled,
	DROP CONSTRAINT orders_server,
	ADD CONSTRAINT orders_state_check CHECK (state IN ('PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY',
		'PROVISIONING', 'FULFILLED', 'FAILED', 'CANCELLED', 'STOPPING', 'ENDED', 'RELEASING', 'RELEASED')),
	ADD CONSTRAINT orders_failed_step_check CHECK (order_place(failed_step) < order_place('FULFILLED')
		OR failed_step IN ('STOPPING', 'RELEASING')),
	ADD CONSTRAINT orders_fulfilled CHECK ((fulfilled_at IS NOT NULL) = (state IN ('FULFILLED', 'ENDED', 'RELEASING', 'RELEASED')
		OR failed_step IS NOT DISTINCT FROM 'RELEASING')),
	ADD CONSTRAINT orders_server CHECK (state NOT IN ('PROVISIONING', 'FULFILLED', 'STOPPING', 'ENDED', 'RELEASING', 'RELEASED')
		OR server_id IS NOT NULL),
	ADD CONSTRAINT orders_ended CHECK ((release_at IS NOT NULL) = (state IN ('ENDED', 'RELEASING', 'RELEASED')
		OR failed_step IS NOT DISTINCT FROM 'RELEASING') AND (release_at IS NOT NULL) = (end_reason <> '')),
	ADD CONSTRAINT orders_next CHECK ((standing = 'next') <= (replaces IS NOT NULL AND fulfilled_at IS NULL)),
	ADD CONSTRAINT orders_former CHECK ((standing = 'former') <= (release_at IS NOT NULL));

-- A customer has one order that counts, and at most one that is to take its place.
DROP INDEX orders_one;
CREATE UNIQUE INDEX orders_one ON orders (customer_id) WHERE standing = 'main' AND state NOT IN ('CANCELLED', 'RELEASED');
CREATE UNIQUE INDEX orders_one_next ON orders (customer_id) WHERE standing = 'next' AND state NOT IN ('CANCELLED', 'RELEASED');
CREATE INDEX orders_release ON orders (release_at) WHERE state = 'ENDED';

-- What an order may become of its customer's orders: the next one takes its place when its server works, and in no other way.
CREATE FUNCTION orders_standing_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.standing = 'former' THEN
			RAISE EXCEPTION 'an order begins as main or next' USING ERRCODE = 'GH001';
		END IF;
		IF NEW.standing = 'next' THEN
			PERFORM FROM orders WHERE id = NEW.replaces AND customer_id = NEW.customer_id AND standing = 'main' AND state = 'FULFILLED'
				FOR UPDATE;
			IF NOT FOUND THEN
				RAISE EXCEPTION 'order % cannot be replaced', NEW.replaces USING ERRCODE = 'GH001';
			END IF;
		END IF;
		RETURN NEW;
	END IF;
	IF NEW.replaces IS DISTINCT FROM OLD.replaces THEN
		RAISE EXCEPTION 'order % replaces %, which cannot change', OLD.id, OLD.replaces USING ERRCODE = 'GH001';
	END IF;
	IF NEW.standing <> OLD.standing AND NOT (
		OLD.standing = 'main' AND NEW.standing = 'former' AND NEW.state = 'ENDED'
		OR OLD.standing = 'next' AND NEW.standing = 'main' AND NEW.state = 'FULFILLED') THEN
		RAISE EXCEPTION 'order % cannot go from % to %', OLD.id, OLD.standing, NEW.standing USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = 'ENDED' AND OLD.state = 'FULFILLED' AND NEW.standing = 'main' AND EXISTS (
		SELECT FROM orders WHERE customer_id = NEW.customer_id AND standing = 'next' AND state NOT IN ('CANCELLED', 'RELEASED')) THEN
		RAISE EXCEPTION 'order % is being replaced', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER orders_standing_guard BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION orders_standing_guard();

-- A server that is set up to replace another serves nobody until it does.
ALTER TABLE servers ADD COLUMN next boolean NOT NULL DEFAULT false;
DROP INDEX servers_one;
CREATE UNIQUE INDEX servers_one ON servers (customer_id) WHERE revoked_at IS NULL AND NOT next;
CREATE UNIQUE INDEX servers_one_next ON servers (customer_id) WHERE revoked_at IS NULL AND next;

CREATE FUNCTION servers_next() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		NEW.next := coalesce((SELECT standing = 'next' FROM orders WHERE id = NEW.order_id), false);
	ELSIF NEW.next AND NOT OLD.next THEN
		RAISE EXCEPTION 'server % serves its customer already', OLD.id USING ERRCODE = 'GH001';
	ELSIF NEW.revoked_at IS NULL AND OLD.revoked_at IS NOT NULL THEN
		RAISE EXCEPTION 'server % was cut off for good', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER servers_next BEFORE INSERT OR UPDATE ON servers FOR EACH ROW EXECUTE FUNCTION servers_next();
