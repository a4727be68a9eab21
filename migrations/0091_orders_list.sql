-- The console lists orders by when they came, changed, or by their customer's name, and narrows them: each has its
-- index, but for the regions: every page has some of both.
CREATE INDEX orders_created ON orders (created_at, id);
CREATE INDEX orders_updated ON orders (updated_at, id);
DROP INDEX orders_state;
CREATE INDEX orders_state ON orders (state, created_at, id);
CREATE INDEX orders_state_updated ON orders (state, updated_at, id);
CREATE INDEX orders_mode ON orders (mode, created_at, id);
CREATE INDEX orders_provider ON orders (provider, created_at, id);
CREATE INDEX orders_plan ON orders (plan, created_at, id);
CREATE INDEX orders_mode_updated ON orders (mode, updated_at, id);
CREATE INDEX orders_provider_updated ON orders (provider, updated_at, id);
CREATE INDEX orders_plan_updated ON orders (plan, updated_at, id);

-- Those that are on their way are few, and looked at most.
CREATE INDEX orders_open ON orders (created_at, id)
	WHERE state IN ('PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY', 'PROVISIONING');
CREATE INDEX orders_open_updated ON orders (updated_at, id)
	WHERE state IN ('PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY', 'PROVISIONING');
CREATE INDEX customers_name ON customers ((name COLLATE "und-x-icu"), id);
