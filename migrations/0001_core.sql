-- Customers, their people, our people, orders, servers, and the records of who changed what.
-- Every id is a UUIDv7, so ids sort by time and serve as cursors of lists. Times are UTC, money is whole cents.

CREATE TABLE customers (
	id         uuid PRIMARY KEY,
	name       text NOT NULL CHECK (name <> ''),
	time_zone  text NOT NULL CHECK (time_zone <> ''),
	created_at timestamptz NOT NULL
);

CREATE TABLE users (
	id            uuid PRIMARY KEY,
	customer_id   uuid NOT NULL REFERENCES customers,
	email         text NOT NULL CHECK (email <> ''),        -- as typed
	email_folded  text NOT NULL CHECK (email_folded <> ''), -- NFKC and case folded: what addresses are compared by
	name          text NOT NULL CHECK (name <> ''),
	role          text NOT NULL CHECK (role IN ('owner', 'member')),
	password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
	verified_at   timestamptz,
	created_at    timestamptz NOT NULL,
	CONSTRAINT users_email UNIQUE (email_folded),
	CONSTRAINT users_of_customer UNIQUE (customer_id, id)
);

CREATE TABLE staff (
	id            uuid PRIMARY KEY,
	email         text NOT NULL CHECK (email <> ''),
	email_folded  text NOT NULL CHECK (email_folded <> ''),
	name          text NOT NULL CHECK (name <> ''),
	role          text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MANAGER', 'SUPPORT')),
	password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
	totp_secret   bytea NOT NULL,            -- AES-256-GCM, bound to this row and column
	totp_step     bigint NOT NULL DEFAULT 0, -- the 30 s period whose code was accepted last
	totp_tries    int NOT NULL DEFAULT 0,    -- codes refused since totp_since
	totp_since    timestamptz,
	created_at    timestamptz NOT NULL,
	off_at        timestamptz,
	CONSTRAINT staff_email UNIQUE (email_folded)
);

-- An accepted code is never accepted again, whatever a program does.
CREATE FUNCTION staff_totp_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.totp_step < OLD.totp_step AND NEW.totp_secret = OLD.totp_secret THEN
		RAISE EXCEPTION 'staff %: the accepted one-time code cannot go back', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER staff_totp_guard BEFORE UPDATE ON staff FOR EACH ROW EXECUTE FUNCTION staff_totp_guard();

-- Links that were mailed; only the hash of the secret is kept.
CREATE TABLE mail_links (
	hash       bytea PRIMARY KEY CHECK (length(hash) = 32),
	kind       text NOT NULL CHECK (kind IN ('verify', 'reset')),
	user_id    uuid NOT NULL REFERENCES users,
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
	used_at    timestamptz
);
CREATE INDEX mail_links_user ON mail_links (user_id);
CREATE INDEX mail_links_old ON mail_links (expires_at);

CREATE TABLE api_tokens (
	id          uuid PRIMARY KEY,
	hash        bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
	scope       text NOT NULL CHECK (scope IN ('customer', 'admin')),
	customer_id uuid,
	user_id     uuid,
	staff_id    uuid REFERENCES staff,
	name        text NOT NULL CHECK (name <> ''),
	hint        text NOT NULL CHECK (length(hint) = 4),
	created_at  timestamptz NOT NULL,
	expires_at  timestamptz,
	used_at     timestamptz,
	revoked_at  timestamptz,
	FOREIGN KEY (customer_id, user_id) REFERENCES users (customer_id, id),
	CHECK (CASE scope
		WHEN 'customer' THEN customer_id IS NOT NULL AND user_id IS NOT NULL AND staff_id IS NULL
		ELSE customer_id IS NULL AND user_id IS NULL AND staff_id IS NOT NULL END)
);
CREATE INDEX api_tokens_customer ON api_tokens (customer_id, id DESC);

-- Orders. The way of an order is in these two functions; the trigger refuses everything else, also by raw SQL.
CREATE FUNCTION order_place(state text) RETURNS int LANGUAGE sql IMMUTABLE AS $$
	SELECT array_position(ARRAY['PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING', 'DNS_READY',
		'PROVISIONING', 'FULFILLED'], state)
$$;

CREATE FUNCTION order_may(was text, failed_step text, next text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(CASE
		WHEN was = 'FAILED' THEN next = failed_step OR next = 'CANCELLED' AND order_place(failed_step) < order_place('PROVISIONING')
		WHEN was IN ('FULFILLED', 'CANCELLED') THEN false
		WHEN next = 'FAILED' THEN true
		WHEN next = 'CANCELLED' THEN order_place(was) < order_place('PROVISIONING')
		ELSE order_place(next) = order_place(was) + 1 END, false)
$$;

CREATE TABLE orders (
	id            uuid PRIMARY KEY,
	number        bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001) UNIQUE,
	customer_id   uuid NOT NULL REFERENCES customers,
	ordered_by    uuid NOT NULL,
	plan          text NOT NULL CHECK (plan IN ('lite', 'build', 'scale', 'enterprise')),
	price         bigint NOT NULL CHECK (price >= 0), -- cents a month
	currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
	paid_by       text NOT NULL CHECK (paid_by <> ''),
	region        text NOT NULL CHECK (region IN ('eu', 'na')),
	business_type text NOT NULL DEFAULT '',
	slug          text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
	mode          text NOT NULL CHECK (mode IN ('AUTO', 'MANUAL')),
	state         text NOT NULL CHECK (state IN ('PAYMENT_CONFIRMED', 'AWAITING_SERVER', 'SERVER_READY', 'DNS_PENDING',
		'DNS_READY', 'PROVISIONING', 'FULFILLED', 'FAILED', 'CANCELLED')),
	failed_step   text CHECK (order_place(failed_step) < order_place('FULFILLED')),
	reason        text NOT NULL DEFAULT '',
	attempt       int NOT NULL DEFAULT 0 CHECK (attempt >= 0),
	server_id     uuid,
	created_at    timestamptz NOT NULL,
	updated_at    timestamptz NOT NULL,
	fulfilled_at  timestamptz,
	FOREIGN KEY (customer_id, ordered_by) REFERENCES users (customer_id, id),
	CONSTRAINT orders_failed CHECK ((state = 'FAILED') = (failed_step IS NOT NULL) AND (state = 'FAILED') = (reason <> '')),
	CONSTRAINT orders_fulfilled CHECK ((state = 'FULFILLED') = (fulfilled_at IS NOT NULL)),
	CONSTRAINT orders_server CHECK (state NOT IN ('PROVISIONING', 'FULFILLED') OR server_id IS NOT NULL)
);
CREATE UNIQUE INDEX orders_one ON orders (customer_id) WHERE state <> 'CANCELLED';
CREATE INDEX orders_customer ON orders (customer_id, id DESC);
CREATE INDEX orders_state ON orders (state, id DESC);

CREATE FUNCTION orders_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.state <> 'PAYMENT_CONFIRMED' THEN
			RAISE EXCEPTION 'an order begins paid, not as %', NEW.state USING ERRCODE = 'GH001';
		END IF;
		RETURN NEW;
	END IF;
	IF (NEW.id, NEW.customer_id, NEW.number) IS DISTINCT FROM (OLD.id, OLD.customer_id, OLD.number) THEN
		RAISE EXCEPTION 'order % cannot change hands', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = OLD.state THEN
		IF NEW.failed_step IS DISTINCT FROM OLD.failed_step THEN
			RAISE EXCEPTION 'order % failed at %, which cannot change', OLD.id, OLD.failed_step USING ERRCODE = 'GH001';
		END IF;
		RETURN NEW;
	END IF;
	IF NOT order_may(OLD.state, OLD.failed_step, NEW.state) THEN
		RAISE EXCEPTION 'order % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = 'FAILED' AND NEW.failed_step IS DISTINCT FROM OLD.state THEN
		RAISE EXCEPTION 'order % failed at %, not at %', OLD.id, OLD.state, NEW.failed_step USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER orders_guard BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION orders_guard();

-- What happened to an order, and the lines of its live log. id is the cursor.
CREATE TABLE order_events (
	id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	order_id uuid NOT NULL REFERENCES orders,
	at       timestamptz NOT NULL,
	kind     text NOT NULL CHECK (kind IN ('state', 'log')),
	state    text NOT NULL CHECK (state <> ''),
	text     text NOT NULL CHECK (text <> ''),
	by_name  text NOT NULL CHECK (by_name <> '')
);
CREATE INDEX order_events_order ON order_events (order_id, id);

CREATE TABLE servers (
	id             uuid PRIMARY KEY,
	customer_id    uuid NOT NULL REFERENCES customers,
	order_id       uuid NOT NULL UNIQUE REFERENCES orders,
	slug           text NOT NULL UNIQUE CHECK (slug <> ''),
	provider       text NOT NULL CHECK (provider <> ''),
	state          text NOT NULL CHECK (state IN ('new', 'online', 'degraded', 'offline', 'revoked')),
	public_key     text UNIQUE,
	key_id         text UNIQUE,
	seal_key       text,
	agentd_version text NOT NULL DEFAULT '',
	beat           jsonb,       -- the last heartbeat
	beat_at        timestamptz, -- by the hub's clock
	registered_at  timestamptz,
	revoked_at     timestamptz,
	created_at     timestamptz NOT NULL,
	CONSTRAINT servers_of_customer UNIQUE (customer_id, id),
	CONSTRAINT servers_keys CHECK ((registered_at IS NULL) = (public_key IS NULL)
		AND (public_key IS NULL) = (key_id IS NULL) AND (public_key IS NULL) = (seal_key IS NULL)),
	CONSTRAINT servers_beat CHECK ((beat IS NULL) = (beat_at IS NULL)),
	CONSTRAINT servers_revoked CHECK ((state = 'revoked') = (revoked_at IS NOT NULL))
);
CREATE UNIQUE INDEX servers_one ON servers (customer_id) WHERE revoked_at IS NULL;
CREATE INDEX servers_quiet ON servers (beat_at) WHERE state IN ('online', 'degraded');

ALTER TABLE orders ADD CONSTRAINT orders_server_id FOREIGN KEY (customer_id, server_id) REFERENCES servers (customer_id, id);

-- The right to register, once; the newest token of a server is the only one.
CREATE TABLE register_tokens (
	server_id  uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	hash       bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
	created_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
	used_at    timestamptz
);

CREATE TABLE audit_log (
	id          uuid PRIMARY KEY,
	at          timestamptz NOT NULL,
	by_kind     text NOT NULL CHECK (by_kind IN ('user', 'staff', 'system')),
	by_id       text NOT NULL DEFAULT '',
	by_name     text NOT NULL CHECK (by_name <> ''),
	by_address  text NOT NULL DEFAULT '',
	customer_id uuid REFERENCES customers,
	action      text NOT NULL CHECK (action <> ''),
	target      text NOT NULL DEFAULT '',
	details     jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_customer ON audit_log (customer_id, id DESC);

-- History is added to, never rewritten.
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION '% is only added to', TG_TABLE_NAME USING ERRCODE = 'GH001';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE TRIGGER order_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON order_events FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- The first answer to a request that carried an Idempotency-Key; kept for 24 h.
CREATE TABLE idempotency_keys (
	principal    text NOT NULL CHECK (principal <> ''), -- who asked: "user:<id>", "staff:<id>", "server:<id>"
	key          text NOT NULL CHECK (length(key) BETWEEN 1 AND 200),
	request_hash bytea NOT NULL CHECK (length(request_hash) = 32), -- method, path and body
	status       int, -- NULL while the first request is at work
	content_type text NOT NULL DEFAULT '',
	body         bytea,
	created_at   timestamptz NOT NULL,
	PRIMARY KEY (principal, key),
	CHECK ((status IS NULL) = (body IS NULL))
);
CREATE INDEX idempotency_keys_old ON idempotency_keys (created_at);
