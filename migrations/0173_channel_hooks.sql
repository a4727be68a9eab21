-- Where messengers bring messages to: which server an address belongs to. The address itself is with that server, here is its hash.
CREATE TABLE channel_hooks (
	hash       bytea PRIMARY KEY, -- SHA-256
	server_id  uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	channel    text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	UNIQUE (server_id, channel)
);
