-- Secrets of the hub itself that all its processes share, closed with the key file and bound to their row and column.
CREATE TABLE hub_secrets (
	name       text PRIMARY KEY CHECK (name <> ''),
	sealed     bytea NOT NULL, -- AES-256-GCM
	created_at timestamptz NOT NULL DEFAULT now()
);

-- Browsers in which people have turned notifications on. Where a browser takes messages, and the keys that it opens them
-- with, are closed with the key file: whoever reads this table can send to nobody.
CREATE TABLE push_devices (
	id           uuid PRIMARY KEY,
	customer_id  uuid NOT NULL,
	user_id      uuid NOT NULL,
	name         text NOT NULL CHECK (name <> ''),
	print        bytea NOT NULL UNIQUE CHECK (length(print) = 32), -- SHA-256 of the subscription
	subscription bytea NOT NULL,                                   -- AES-256-GCM
	told         uuid[] NOT NULL DEFAULT '{}',                     -- requests that the device shows
	created_at   timestamptz NOT NULL,
	told_at      timestamptz, -- when the push service last took a message for it
	rang_at      timestamptz, -- when one last made a sound
	failed_at    timestamptz, -- since when none is taken; NULL while all is well
	busy_until   timestamptz, -- while somebody tells it something; others wait
	FOREIGN KEY (customer_id, user_id) REFERENCES users (customer_id, id) ON DELETE CASCADE
);
CREATE INDEX push_devices_customer ON push_devices (customer_id);
CREATE INDEX push_devices_user ON push_devices (user_id);

-- When people are not told, in minutes after midnight of their business's time zone; over midnight when starts > ends.
CREATE TABLE quiet_hours (
	user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
	starts  smallint NOT NULL CHECK (starts BETWEEN 0 AND 1439),
	ends    smallint NOT NULL CHECK (ends BETWEEN 0 AND 1439),
	CHECK (starts <> ends)
);
