-- What our staff change about how the hub works: every change stays, the newest of a setting is in force.
CREATE TABLE setting_changes (
	id      uuid PRIMARY KEY,
	key     text NOT NULL CHECK (key <> ''),
	value   text,          -- NULL: as it comes
	was     text NOT NULL, -- in force before
	reason  text NOT NULL CHECK (reason <> ''),
	at      timestamptz NOT NULL,
	by_id   text NOT NULL,
	by_name text NOT NULL CHECK (by_name <> '')
);
CREATE INDEX setting_changes_key ON setting_changes (key, id DESC);
CREATE TRIGGER setting_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON setting_changes
	FOR EACH STATEMENT EXECUTE FUNCTION append_only();
