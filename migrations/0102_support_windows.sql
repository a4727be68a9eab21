-- Support windows: what staff asked to look at on a customer's server, and whether the owner let them. Which window is open
-- the server says; what was looked at exactly stays there.
CREATE TABLE support_windows (
	id          uuid PRIMARY KEY,
	customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	server_id   uuid NOT NULL REFERENCES servers ON DELETE CASCADE,
	staff_id    uuid NOT NULL REFERENCES staff,
	staff_name  text NOT NULL CHECK (staff_name <> ''),
	key_kind    text NOT NULL CHECK (key_kind IN ('browser', 'software')),
	spki        text NOT NULL CHECK (spki <> ''),
	purpose     text NOT NULL CHECK (purpose <> ''),
	hours       integer NOT NULL CHECK (hours BETWEEN 1 AND 24),
	what        text[] NOT NULL CHECK (cardinality(what) > 0),
	state       text NOT NULL CHECK (state IN ('asked', 'open', 'ended', 'refused', 'withdrawn')),
	asked_at    timestamptz NOT NULL,
	opened_at   timestamptz,
	until       timestamptz,
	ended_at    timestamptz,
	why         text NOT NULL DEFAULT '',
	ended_by    text NOT NULL DEFAULT '',
	CONSTRAINT support_windows_opened CHECK ((opened_at IS NULL) = (until IS NULL) AND (state <> 'open' OR opened_at IS NOT NULL)),
	CONSTRAINT support_windows_ended CHECK ((state IN ('ended', 'refused', 'withdrawn')) = (ended_at IS NOT NULL))
);
CREATE INDEX support_windows_customer ON support_windows (customer_id, id DESC);
CREATE INDEX support_windows_server ON support_windows (server_id, id DESC);

-- One line for each look of our staff through a window, or refusal of one, as the server reported it.
CREATE TABLE support_looks (
	id         uuid PRIMARY KEY,
	window_id  uuid NOT NULL REFERENCES support_windows ON DELETE CASCADE,
	staff_name text NOT NULL DEFAULT '',
	see        text NOT NULL CHECK (see <> ''),
	at         timestamptz NOT NULL,
	refused    text NOT NULL DEFAULT ''
);
CREATE INDEX support_looks_window ON support_looks (window_id, id DESC);
