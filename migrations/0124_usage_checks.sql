-- How the newest comparison of a server's usage with its own sums ended.
CREATE TABLE usage_checks (
	server_id  uuid PRIMARY KEY REFERENCES servers ON DELETE CASCADE,
	checked_at timestamptz NOT NULL,
	off        text NOT NULL -- what differs; empty: nothing
);
CREATE INDEX usage_checks_off ON usage_checks (server_id) WHERE off <> '';
