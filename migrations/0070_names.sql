-- The name under which an order's server is reached: the customer's own domain, or empty for one under ours.
ALTER TABLE orders ADD COLUMN domain text NOT NULL DEFAULT '' CHECK (length(domain) <= 253);

-- What is known of that name, and when name servers are asked again.
CREATE TABLE order_names (
	order_id  uuid PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
	host      text NOT NULL CHECK (host <> ''),
	provider  text NOT NULL CHECK (provider IN ('loopback', 'manual', 'cloudflare', 'powerdns')),
	addresses text[] NOT NULL,
	since     timestamptz,                 -- when this waiting began; NULL: it has ended
	looks     int NOT NULL DEFAULT 0,      -- of the hub by itself, since then
	looked_at timestamptz,
	next_at   timestamptz,
	problem   text NOT NULL DEFAULT '',    -- why nothing could be made or asked, as a code
	detail    text NOT NULL DEFAULT '',    -- what goes with it
	report    jsonb                        -- dns.Report of the last look; public records only
);

-- The records that the hub made: it takes away no others. A row is there before its record is.
CREATE TABLE dns_records (
	order_id uuid NOT NULL REFERENCES orders,
	provider text NOT NULL CHECK (provider <> ''),
	zone     text NOT NULL CHECK (zone <> ''),
	name     text NOT NULL CHECK (name <> ''),
	type     text NOT NULL CHECK (type IN ('A', 'AAAA', 'CNAME')),
	content  text NOT NULL CHECK (content <> ''),
	ttl      int NOT NULL CHECK (ttl > 0),
	made_at  timestamptz NOT NULL,
	PRIMARY KEY (order_id, provider, zone, name, type, content)
);
