-- What is sold for how much, and what it costs: entries are added and never changed. The one that is valid from the latest moment
-- until then holds.
CREATE TABLE price_entries (
	id         uuid PRIMARY KEY,
	kind       text NOT NULL CHECK (kind IN ('plan', 'model', 'markups', 'weights', 'rate', 'seller', 'tax')),
	name       text NOT NULL DEFAULT '',
	value      jsonb NOT NULL,
	valid_from timestamptz NOT NULL,
	at         timestamptz NOT NULL,
	by_id      text NOT NULL DEFAULT '',
	by_name    text NOT NULL CHECK (by_name <> ''),
	reason     text NOT NULL CHECK (reason <> '')
);
CREATE INDEX price_entries_name ON price_entries (kind, name, id);
CREATE TRIGGER price_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON price_entries
	FOR EACH STATEMENT EXECUTE FUNCTION append_only();

INSERT INTO price_entries (id, kind, name, value, valid_from, at, by_name, reason)
SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(row_number() OVER ()), 12, '0'))::uuid, kind, name, value::jsonb,
	'2000-01-01T00:00:00Z', '2000-01-01T00:00:00Z', 'gatehouse', 'The figures that a new hub begins with.'
FROM (VALUES
	('plan', 'lite', '{"name": "Lite", "monthly": 2900, "pool": 8000000}'),
	('plan', 'build', '{"name": "Build", "monthly": 4500, "pool": 15000000}'),
	('plan', 'scale', '{"name": "Scale", "monthly": 7500, "pool": 25000000}'),
	('plan', 'enterprise', '{"name": "Enterprise", "monthly": 10900, "pool": 40000000}'),
	('markups', '', '{"premium": [{"to": 1000000, "includes": false, "percent": 25}, {"to": 5000000, "includes": false, "percent": 15},
		{"to": 15000000, "includes": true, "percent": 10}, {"to": 0, "includes": false, "percent": 8}],
		"overage": [{"to": 500000, "includes": false, "percent": 35}, {"to": 1200000, "includes": true, "percent": 25},
		{"to": 0, "includes": false, "percent": 20}]}'),
	('weights', '', '{"input": 1000, "output": 1000, "cache_read": 100, "cache_write": 1000, "search": 2000, "fetch": 1000}')
) AS first (kind, name, value);

-- What our staff and customers have said about how a customer is billed.
CREATE TABLE billing_customers (
	customer_id    uuid PRIMARY KEY REFERENCES customers,
	name           text NOT NULL DEFAULT '', -- on invoices; empty: that of the business
	address        text NOT NULL DEFAULT '',
	country        text NOT NULL DEFAULT '' CHECK (country ~ '^([A-Z]{2})?$'), -- empty: that of the seller
	vat_id         text NOT NULL DEFAULT '',
	multiplier     bigint NOT NULL DEFAULT 1 CHECK (multiplier BETWEEN 1 AND 100),
	founding_from  timestamptz,
	founding_until timestamptz,
	changed_at     timestamptz NOT NULL,
	CONSTRAINT billing_customers_founding CHECK ((founding_from IS NULL) = (founding_until IS NULL) AND founding_from < founding_until)
);

-- What happens when a customer's pool is empty: the newest line holds.
CREATE TABLE overage_choices (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers,
	overage     boolean NOT NULL, -- the team works on, and what it uses is charged; else it pauses
	at          timestamptz NOT NULL,
	by_kind     text NOT NULL,
	by_id       text NOT NULL DEFAULT '',
	by_name     text NOT NULL CHECK (by_name <> '')
);
CREATE INDEX overage_choices_customer ON overage_choices (customer_id, id DESC);
CREATE TRIGGER overage_choices_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON overage_choices
	FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- When a month would have ended, where the customer left before.
ALTER TABLE billing_periods ADD COLUMN full_to timestamptz;
UPDATE billing_periods SET full_to = to_at;
ALTER TABLE billing_periods ALTER COLUMN full_to SET NOT NULL, ADD CONSTRAINT billing_periods_full CHECK (full_to >= to_at);
