-- The answer that the owner gave by a messaging channel, and that the server took first, also takes the place of the same answer that the
-- hub has stored: the one who decided is the one whom the server heard. It is taken over once.
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
	IF OLD.state = 'denied' AND NEW.state = 'allowed' AND coalesce(NEW.decided_by->>'method', '') <> 'paired' THEN
		RAISE EXCEPTION 'approval % was denied', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state <> OLD.state AND NOT approval_may(OLD.state, NEW.state) THEN
		RAISE EXCEPTION 'approval % cannot go from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'GH001';
	END IF;
	IF OLD.state = 'allowed' AND NEW.state = 'pending' AND OLD.execution NOT IN ('none', 'queued') THEN
		RAISE EXCEPTION 'approval % is being carried out', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF OLD.state <> 'pending' AND NEW.state <> 'pending'
		AND (coalesce(OLD.decided_by->>'method', '') = 'paired' OR coalesce(NEW.decided_by->>'method', '') <> 'paired')
		AND (NEW.decided_at, NEW.decided_by, NEW.verb, NEW.minutes)
		IS DISTINCT FROM (OLD.decided_at, OLD.decided_by, OLD.verb, OLD.minutes) THEN
		RAISE EXCEPTION 'approval % was decided already', OLD.id USING ERRCODE = 'GH001';
	END IF;
	IF NEW.state = OLD.state AND execution_place(NEW.execution) < execution_place(OLD.execution) THEN
		RAISE EXCEPTION 'approval % cannot go from % back to %', OLD.id, OLD.execution, NEW.execution USING ERRCODE = 'GH001';
	END IF;
	RETURN NEW;
END $$;
