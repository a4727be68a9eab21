-- What our staff had agentd do on a server, and how it ended. Signed text and signature travel as they stand here.
CREATE TABLE server_commands (
	id         uuid PRIMARY KEY,
	server_id  uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	verb       text NOT NULL CHECK (verb <> ''),
	container  text NOT NULL DEFAULT '',
	by_name    text NOT NULL CHECK (by_name <> ''),
	signed     text NOT NULL,
	sig        text NOT NULL,
	state      text NOT NULL CHECK (state IN ('sent', 'done', 'failed', 'refused', 'timed_out')),
	said       text NOT NULL DEFAULT '',
	containers jsonb,
	at         timestamptz NOT NULL,
	until      timestamptz NOT NULL,
	ended_at   timestamptz,
	CONSTRAINT server_commands_ended CHECK ((state = 'sent') = (ended_at IS NULL))
);
CREATE INDEX server_commands_server ON server_commands (server_id, id DESC);
