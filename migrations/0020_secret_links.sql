-- One-time links to a secret. The value is encrypted under a key that stands in the address behind the #, which no server
-- sees; what takes the link is kept by its hash. A link that was taken keeps no value.
CREATE TABLE secret_links (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	kind        text NOT NULL CHECK (kind IN ('view', 'give')),
	name        text NOT NULL,
	take        bytea NOT NULL CHECK (length(take) = 32),
	box         text,
	made_by     text NOT NULL,
	created_at  timestamptz NOT NULL,
	expires_at  timestamptz NOT NULL CHECK (expires_at > created_at),
	taken_at    timestamptz,
	CHECK (box IS NULL OR (kind = 'view' AND taken_at IS NULL))
);
CREATE INDEX secret_links_old ON secret_links (expires_at);
CREATE INDEX secret_links_customer ON secret_links (customer_id);
