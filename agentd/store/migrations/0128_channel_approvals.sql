-- Messengers: their settings, what people call themselves there, and which requests for approval come by a channel.
ALTER TABLE channels ADD COLUMN chat TEXT NOT NULL DEFAULT '{}';      -- wire.ChatSettings, JSON
ALTER TABLE channels ADD COLUMN approvals TEXT NOT NULL DEFAULT '' CHECK (approvals IN ('', 'own', 'all'));
ALTER TABLE channel_people ADD COLUMN name TEXT NOT NULL DEFAULT '';  -- anybody can call themselves anything

-- Commands are messages too, which begin no run.
CREATE TABLE channel_messages_new (
    seq     INTEGER PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels (name),
    mark    TEXT NOT NULL,                -- hex SHA-256
    address TEXT NOT NULL,
    at      INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused', 'code', 'command')),
    reason  TEXT NOT NULL,                -- of a command: which
    run_id  TEXT NOT NULL,
    session TEXT NOT NULL,
    reply   TEXT NOT NULL,                -- how it is answered, JSON
    open    INTEGER NOT NULL,             -- its run has not been answered yet
    proven  INTEGER NOT NULL DEFAULT 0,           -- whether its sender was
    times   INTEGER NOT NULL DEFAULT 1,           -- how many were refused for the same reason within the hour that begins with this one
    bytes   INTEGER NOT NULL DEFAULT 0,           -- of files that were kept
    UNIQUE (channel, mark)
) STRICT;
INSERT INTO channel_messages_new SELECT seq, channel, mark, address, at, verdict, reason, run_id, session, reply, open, proven, times, bytes
    FROM channel_messages;
DROP TABLE channel_messages;
ALTER TABLE channel_messages_new RENAME TO channel_messages;
CREATE INDEX channel_messages_open ON channel_messages (seq) WHERE open = 1;
CREATE INDEX channel_messages_at ON channel_messages (channel, at);
CREATE INDEX channel_messages_from ON channel_messages (channel, address, at);

-- What is sent may have buttons, and may take the place of what was sent before.
CREATE TABLE channel_outbox_new (
    id         TEXT PRIMARY KEY,          -- also that of its first call
    channel    TEXT NOT NULL REFERENCES channels (name),
    kind       TEXT NOT NULL CHECK (kind IN ('answer', 'code', 'test', 'ask', 'told', 'reply')),
    address    TEXT NOT NULL,
    subject    TEXT NOT NULL,
    text       TEXT NOT NULL,
    reply      TEXT NOT NULL,             -- what it answers, JSON
    session    TEXT NOT NULL,
    agent      TEXT NOT NULL,
    level      INTEGER NOT NULL,
    taint      TEXT NOT NULL,             -- what stands behind it, JSON
    call_id    TEXT NOT NULL,
    attempts   INTEGER NOT NULL,
    next_at    INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed', 'denied', 'unknown')),
    why        TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL,
    buttons    TEXT NOT NULL DEFAULT '[]', -- JSON
    edit       TEXT NOT NULL DEFAULT '',   -- the provider's id of the message whose place it takes
    sent_id    TEXT NOT NULL DEFAULT ''    -- the provider's id of it
) STRICT;
INSERT INTO channel_outbox_new (id, channel, kind, address, subject, text, reply, session, agent, level, taint, call_id, attempts, next_at, state,
    why, created_at, ended_at) SELECT id, channel, kind, address, subject, text, reply, session, agent, level, taint, call_id, attempts, next_at,
    state, why, created_at, ended_at FROM channel_outbox;
DROP TABLE channel_outbox;
ALTER TABLE channel_outbox_new RENAME TO channel_outbox;
CREATE INDEX channel_outbox_waiting ON channel_outbox (next_at) WHERE state = 'waiting';
CREATE INDEX channel_outbox_ended ON channel_outbox (channel, ended_at);

-- Which requests for approval were put to whom by a channel.
CREATE TABLE channel_asks (
    approval TEXT NOT NULL,
    channel  TEXT NOT NULL REFERENCES channels (name),
    address  TEXT NOT NULL,
    letter   TEXT NOT NULL,               -- of the outbox, that asks
    code     TEXT NOT NULL,
    digest   TEXT NOT NULL,               -- of what was shown
    may      TEXT NOT NULL CHECK (may IN ('allow', 'deny', 'look')), -- what can be decided there
    title    TEXT NOT NULL,               -- what is asked, in a sentence
    open     INTEGER NOT NULL,            -- nobody there was told yet what became of it
    at       INTEGER NOT NULL,
    PRIMARY KEY (approval, channel, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_asks_open ON channel_asks (channel, address, code) WHERE open = 1;

-- With which conversation a person goes on where a messenger has no threads.
CREATE TABLE channel_chats (
    channel TEXT NOT NULL REFERENCES channels (name),
    address TEXT NOT NULL,
    session TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (channel, address)
) STRICT, WITHOUT ROWID;
