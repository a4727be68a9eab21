-- The link to each server, what servers ask people, the settings of teams, and the anchors of servers' logs.

-- How far each direction of a link has come. Two tables, so that putting a frame in the outbox never waits for a frame
-- that is being applied; whoever locks both takes link_in_heads first.
CREATE TABLE link_in_heads (
	server_id uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	epoch     bigint NOT NULL, -- counts connections; only the newest may apply frames
	seq       bigint NOT NULL  -- number of the last reliable frame of the server that was applied
);
CREATE TABLE link_out_heads (
	server_id uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	seq       bigint NOT NULL  -- number of the last reliable frame for the server
);

-- Ids of applied frames, so that none is applied twice whatever number it comes with.
CREATE TABLE link_in (
	server_id  uuid NOT NULL REFERENCES link_in_heads ON DELETE CASCADE,
	id         uuid NOT NULL,
	type       text NOT NULL,
	refused    text NOT NULL, -- code of the reason why it was taken without effect, or empty
	applied_at timestamptz NOT NULL,
	PRIMARY KEY (server_id, id)
);
CREATE INDEX link_in_old ON link_in (server_id, applied_at);

-- Frames for servers, kept until the server has applied them. Bodies with contents are sealed to the server.
CREATE TABLE link_out (
	server_id uuid NOT NULL REFERENCES link_out_heads ON DELETE CASCADE,
	seq       bigint NOT NULL,
	id        uuid NOT NULL UNIQUE,
	type      text NOT NULL,
	time      timestamptz NOT NULL,
	body      json NOT NULL,
	PRIMARY KEY (server_id, seq) DEFERRABLE INITIALLY IMMEDIATE -- numbers move together when a link resumes
);

-- Questions to people. What is asked rests here only while it is pending; the row of a decided one shows nothing of it.
CREATE TABLE approvals (
	id             uuid PRIMARY KEY,
	customer_id    uuid NOT NULL,
	server_id      uuid NOT NULL,
	code           text NOT NULL,
	session_id     text NOT NULL,
	root_run_id    text NOT NULL,
	run_id         text NOT NULL,
	call_id        text NOT NULL,
	agent          text NOT NULL CHECK (agent <> ''),
	tool           text NOT NULL CHECK (tool <> ''),
	action         text NOT NULL,
	args_hash      text NOT NULL,
	tier           text NOT NULL CHECK (tier <> ''),
	policy_version bigint NOT NULL,
	staged_hash    text NOT NULL,
	digest         text NOT NULL CHECK (digest <> ''),
	windows        int[] NOT NULL,
	created_at     timestamptz NOT NULL,
	expires_at     timestamptz NOT NULL,

	summary        text,
	args           json,
	facts          json,
	reason         text,
	why_asked      text,
	diff           json,

	state          text NOT NULL CHECK (state IN ('pending', 'allowed', 'denied', 'expired', 'withdrawn', 'superseded')),
	execution      text NOT NULL CHECK (execution IN ('none', 'queued', 'running', 'done', 'failed', 'unknown')),
	next_id        text NOT NULL DEFAULT '',
	verb           text NOT NULL DEFAULT '' CHECK (verb IN ('', 'allow_once', 'allow_window', 'edit', 'deny')),
	minutes        int NOT NULL DEFAULT 0 CHECK (minutes BETWEEN 0 AND 480),
	decided_by     jsonb, -- who, from where and how: wire.DecidedBy
	decided_at     timestamptz,

	FOREIGN KEY (customer_id, server_id) REFERENCES servers (customer_id, id) ON DELETE CASCADE,
	CONSTRAINT approvals_erased CHECK (state = 'pending' OR
		(summary IS NULL AND args IS NULL AND facts IS NULL AND reason IS NULL AND why_asked IS NULL AND diff IS NULL)),
	CONSTRAINT approvals_decided CHECK ((state = 'pending') = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
	CONSTRAINT approvals_execution CHECK (execution = 'none' OR state = 'allowed')
);
CREATE INDEX approvals_customer ON approvals (customer_id, id DESC);
CREATE INDEX approvals_pending ON approvals (customer_id, id DESC) WHERE state = 'pending';
CREATE INDEX approvals_pending_all ON approvals (id DESC) WHERE state = 'pending';
CREATE INDEX approvals_overdue ON approvals (expires_at) WHERE state = 'pending';

-- The way of an approval; the table is that of app/approval.
CREATE FUNCTION approval_may(was text, next text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(CASE was
		WHEN 'pending' THEN next <> 'pending'
		WHEN 'allowed' THEN next IN ('denied', 'expired', 'withdrawn', 'superseded')
		WHEN 'denied' THEN next IN ('expired', 'withdrawn', 'superseded')
		ELSE false END, false)
$$;

CREATE FUNCTION execution_place(execution text) RETURNS int LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE execution WHEN 'none' THEN 0 WHEN 'queued' THEN 1 WHEN 'running' THEN 2 WHEN 'unknown' THEN 3 ELSE 4 END
$$;

CREATE FUNCTION approvals_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.state <> 'pending' THEN
			RAISE EXCEPTION 'an approval begins pending, not %', NEW.state USING ERRCODE = 'GH001';
		END IF;
		RETURN NEW;
	END IF;
	IF (NEW.id, NEW.customer_id, NEW.server_id, NEW.run_id, NEW.call_id, NEW.agent, NEW.tool, NEW.args_hash, NEW.tier, NEW.policy_version,
		NEW.staged_hash, NEW.digest, NEW.expires_at) IS DISTINCT FROM (OLD.id, OLD.customer_id, OLD.server_id, OLD.run_id, OLD.call_id,
		OLD.agent, OLD.tool, OLD.args_hash, OLD.tier, OLD.policy_version, OLD.staged_hash, OLD.digest, OLD.expires_at) THEN
		RAISE EXCEPTION 'approval % cannot become another question', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = 'pending' AND (NEW.summary, NEW.args::text, NEW.facts::text, NEW.reason, NEW.why_asked, NEW.diff::text)
		IS DISTINCT FROM (OLD.summary, OLD.args::text, OLD.facts::text, OLD.reason, OLD.why_asked, OLD.diff::text) THEN
		RAISE EXCEPTION 'approval % cannot show something else', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state <> OLD.state AND NOT approval_may(OLD.state, NEW.state) THEN
		RAISE EXCEPTION 'approval % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'GH001';
	END IF;
	IF OLD.state <> 'pending' AND (NEW.decided_at, NEW.decided_by, NEW.verb, NEW.minutes)
		IS DISTINCT FROM (OLD.decided_at, OLD.decided_by, OLD.verb, OLD.minutes) THEN
		RAISE EXCEPTION 'approval % was decided already', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = OLD.state AND execution_place(NEW.execution) < execution_place(OLD.execution) THEN
		RAISE EXCEPTION 'approval % cannot go from % back to %', OLD.id, OLD.execution, NEW.execution USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER approvals_guard BEFORE INSERT OR UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION approvals_guard();

-- Versions of the settings, and what the server says about them. Old versions stay.
CREATE TABLE configs (
	server_id  uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	version    bigint NOT NULL CHECK (version > 0),
	config     jsonb NOT NULL,
	created_at timestamptz NOT NULL,
	PRIMARY KEY (server_id, version)
);
CREATE TRIGGER configs_append_only BEFORE UPDATE OR TRUNCATE ON configs FOR EACH STATEMENT EXECUTE FUNCTION append_only();

CREATE TABLE config_states (
	server_id   uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	version     bigint NOT NULL,
	error       text NOT NULL,
	reported_at timestamptz NOT NULL
);

-- Signed heads of servers' logs of receipts: the anchor outside the server.
CREATE TABLE checkpoints (
	server_id   uuid NOT NULL REFERENCES servers,
	seq         bigint NOT NULL CHECK (seq > 0),
	hash        text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
	time        text NOT NULL, -- as signed
	key_id      text NOT NULL,
	signature   text NOT NULL,
	received_at timestamptz NOT NULL,
	PRIMARY KEY (server_id, seq)
);
CREATE TRIGGER checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- What a person should know about a server; no contents.
CREATE TABLE server_alerts (
	id        uuid PRIMARY KEY,
	server_id uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	kind      text NOT NULL CHECK (kind <> ''),
	severity  text NOT NULL CHECK (severity IN ('soft', 'medium', 'hard')),
	text      text NOT NULL,
	at        timestamptz NOT NULL,
	raised_at timestamptz NOT NULL
);
CREATE INDEX server_alerts_server ON server_alerts (server_id, id DESC);
