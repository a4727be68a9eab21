-- The keys that may allow on each server, as the server says, and questions that are open again.

-- What servers report of their approver keys: public halves. A server counts its own list, never this one.
CREATE TABLE approver_keys (
	server_id  uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	key_id     text NOT NULL CHECK (key_id <> ''),
	spki       text NOT NULL,
	kind       text NOT NULL CHECK (kind <> ''),
	holder     text NOT NULL CHECK (holder <> ''),
	label      text NOT NULL,
	credential text NOT NULL,
	added_by   text NOT NULL,
	created_at timestamptz NOT NULL,
	PRIMARY KEY (server_id, key_id)
);

-- Why the last answer was not one, in the server's words for people.
ALTER TABLE approvals ADD COLUMN refused text NOT NULL DEFAULT '';
ALTER TABLE approvals DROP CONSTRAINT approvals_verb_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_verb_check CHECK (verb IN ('', 'allow_once', 'allow_window', 'allow_rule', 'edit', 'deny'));

-- A decision that the server did not accept was none: the question is open again, with what it asked.
CREATE OR REPLACE FUNCTION approval_may(was text, next text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(CASE was
		WHEN 'pending' THEN next <> 'pending'
		WHEN 'allowed' THEN next IN ('pending', 'denied', 'expired', 'withdrawn', 'superseded')
		WHEN 'denied' THEN next IN ('expired', 'withdrawn', 'superseded')
		ELSE false END, false)
$$;

CREATE OR REPLACE FUNCTION approvals_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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
	IF OLD.state = 'pending' AND NEW.state = 'pending' AND (NEW.summary, NEW.args::text, NEW.facts::text, NEW.reason, NEW.why_asked, NEW.diff::text)
		IS DISTINCT FROM (OLD.summary, OLD.args::text, OLD.facts::text, OLD.reason, OLD.why_asked, OLD.diff::text) THEN
		RAISE EXCEPTION 'approval % cannot show something else', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state <> OLD.state AND NOT approval_may(OLD.state, NEW.state) THEN
		RAISE EXCEPTION 'approval % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'GH001';
	END IF;
	IF OLD.state = 'allowed' AND NEW.state = 'pending' AND OLD.execution NOT IN ('none', 'queued') THEN
		RAISE EXCEPTION 'approval % is being carried out', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF OLD.state <> 'pending' AND NEW.state <> 'pending' AND (NEW.decided_at, NEW.decided_by, NEW.verb, NEW.minutes)
		IS DISTINCT FROM (OLD.decided_at, OLD.decided_by, OLD.verb, OLD.minutes) THEN
		RAISE EXCEPTION 'approval % was decided already', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = OLD.state AND execution_place(NEW.execution) < execution_place(OLD.execution) THEN
		RAISE EXCEPTION 'approval % cannot go from % back to %', OLD.id, OLD.execution, NEW.execution USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
