-- The lines that setting a server up writes, apart from the history of its order: many, searched, and gone after 90 days. id is the
-- cursor: lines of one order become visible in the order of their ids.
CREATE TABLE order_log (
	id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	order_id uuid NOT NULL REFERENCES orders,
	at       timestamptz NOT NULL,
	state    text NOT NULL CHECK (state <> ''), -- in which the order was
	level    text NOT NULL CHECK (level IN ('', 'info', 'error')),
	text     text NOT NULL CHECK (text <> '')
);
CREATE INDEX order_log_order ON order_log (order_id, id);
CREATE INDEX order_log_old ON order_log (at);

INSERT INTO order_log (order_id, at, state, level, text)
	SELECT order_id, at, state, CASE WHEN kind = 'log' THEN '' WHEN state = 'FAILED' THEN 'error' ELSE 'info' END, text
	FROM order_events ORDER BY id;
ALTER TABLE order_events DISABLE TRIGGER order_events_append_only;
DELETE FROM order_events WHERE kind = 'log';
ALTER TABLE order_events ENABLE TRIGGER order_events_append_only;
ALTER TABLE order_events DROP CONSTRAINT order_events_kind_check, ADD CONSTRAINT order_events_kind_check CHECK (kind = 'state');

-- A line is written once; only its age takes it away.
CREATE TRIGGER order_log_append_only BEFORE UPDATE OR TRUNCATE ON order_log FOR EACH STATEMENT EXECUTE FUNCTION append_only();
CREATE FUNCTION order_log_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF OLD.at > now() - interval '90 days' THEN
		RAISE EXCEPTION 'line % of an order''s log is kept for 90 days', OLD.id USING ERRCODE = 'GH001';
	END IF;
	RETURN OLD;
END $$;
CREATE TRIGGER order_log_kept BEFORE DELETE ON order_log FOR EACH ROW EXECUTE FUNCTION order_log_kept();
