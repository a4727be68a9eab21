-- Support windows, each as the owner signed it, and what our staff looked at in them.
CREATE TABLE support_windows (
    id        TEXT PRIMARY KEY,
    body      TEXT NOT NULL,    -- canonical JSON of wire.SupportBody
    key_id    TEXT NOT NULL,    -- which key of the owner signed it
    opened_at INTEGER NOT NULL, -- Unix microseconds, like all times here
    until     INTEGER NOT NULL,
    closed_at INTEGER,          -- NULL while it is open
    why       TEXT NOT NULL DEFAULT '' CHECK (why IN ('', 'closed', 'ran_out')),
    by        TEXT NOT NULL DEFAULT '', -- who closed it
    CHECK ((closed_at IS NULL) = (why = ''))
) STRICT;
CREATE TRIGGER support_windows_fixed BEFORE UPDATE ON support_windows
WHEN OLD.closed_at IS NOT NULL OR NEW.closed_at IS NULL
  OR (NEW.id, NEW.body, NEW.key_id, NEW.opened_at, NEW.until) IS NOT (OLD.id, OLD.body, OLD.key_id, OLD.opened_at, OLD.until)
BEGIN SELECT RAISE(ABORT, 'a support window can only be closed'); END;
CREATE TRIGGER support_windows_stay BEFORE DELETE ON support_windows
BEGIN SELECT RAISE(ABORT, 'a support window is closed, not deleted'); END;

CREATE TABLE support_looks (
    id        TEXT PRIMARY KEY, -- UUIDv7
    text_id   TEXT,             -- names the text that was signed, and the signer: each is used once; NULL where none held
    window_id TEXT NOT NULL REFERENCES support_windows,
    staff     TEXT NOT NULL,    -- as the window names them; empty: no key of the window signed
    see       TEXT NOT NULL,
    name      TEXT NOT NULL,    -- of the container, file or conversation
    at        INTEGER NOT NULL,
    refused   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX support_looks_used ON support_looks (text_id) WHERE refused = '';
CREATE INDEX support_looks_window ON support_looks (window_id, id DESC);
