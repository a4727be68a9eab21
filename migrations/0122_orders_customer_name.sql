-- The list of orders is sorted and searched by the name of the customer. It stands in the order too, so that one index has both; the
-- table of customers is where it is changed.
ALTER TABLE orders ADD COLUMN customer_name text NOT NULL DEFAULT '';
ALTER TABLE orders DISABLE TRIGGER USER; -- the guards are about the way of an order
UPDATE orders AS o SET customer_name = c.name FROM customers AS c WHERE c.id = o.customer_id;
ALTER TABLE orders ENABLE TRIGGER USER;

CREATE FUNCTION orders_name_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.customer_name = coalesce((SELECT name FROM customers WHERE id = NEW.customer_id FOR SHARE), ''); -- a customer that is not there is refused by its key
	RETURN NEW;
END $$;
CREATE TRIGGER orders_name_customer BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION orders_name_customer();

CREATE FUNCTION customers_rename_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE orders SET customer_name = NEW.name WHERE customer_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER customers_rename_orders AFTER UPDATE OF name ON customers
	FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION customers_rename_orders();

CREATE INDEX orders_customer_name ON orders ((customer_name COLLATE "und-x-icu"), id);
CREATE INDEX orders_state_customer ON orders (state, (customer_name COLLATE "und-x-icu"), id);
CREATE INDEX orders_mode_customer ON orders (mode, (customer_name COLLATE "und-x-icu"), id);
CREATE INDEX orders_provider_customer ON orders (provider, (customer_name COLLATE "und-x-icu"), id);
CREATE INDEX orders_plan_customer ON orders (plan, (customer_name COLLATE "und-x-icu"), id);
CREATE INDEX orders_open_customer ON orders ((customer_name COLLATE "und-x-icu"), id)
	WHERE state IN ('PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY', 'PROVISIONING');
