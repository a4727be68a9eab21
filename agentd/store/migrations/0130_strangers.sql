-- Strangers: people who write to a channel that is open to everybody, and whom nobody has confirmed.
ALTER TABLE channels ADD COLUMN strangers TEXT NOT NULL DEFAULT '{}';      -- wire.StrangerSettings, JSON
ALTER TABLE channel_messages ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0; -- that models read and wrote for it

CREATE TABLE channel_strangers (
    id       TEXT PRIMARY KEY,
    channel  TEXT NOT NULL REFERENCES channels (name),
    address  TEXT NOT NULL,               -- in the form in which addresses are compared
    name     TEXT NOT NULL,               -- anybody can call themselves anything
    state    TEXT NOT NULL CHECK (state IN ('talking', 'person', 'out', 'erasing')),
    language TEXT NOT NULL,               -- of what they wrote; empty: not known
    session  TEXT NOT NULL,               -- their newest conversation
    messages INTEGER NOT NULL,            -- that were taken
    told_at  INTEGER NOT NULL,            -- when they were sent that they write to a machine; 0: they were not
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    since    INTEGER NOT NULL,            -- of state
    UNIQUE (channel, address)
) STRICT;
CREATE INDEX channel_strangers_last ON channel_strangers (channel, last_at, id);
CREATE INDEX channel_strangers_erasing ON channel_strangers (since) WHERE state = 'erasing';

-- That somebody's data was deleted, and nothing of who they were.
CREATE TABLE channel_erasures (
    id       TEXT PRIMARY KEY,            -- that the person had
    channel  TEXT NOT NULL REFERENCES channels (name),
    at       INTEGER NOT NULL,
    by       TEXT NOT NULL,               -- stranger: they themselves; else a role in the business
    messages INTEGER NOT NULL,
    files    INTEGER NOT NULL
) STRICT;
CREATE INDEX channel_erasures_at ON channel_erasures (channel, at);

-- A person of the business may write to them, too (kind person), and an answer may be the first, which says what answers (notice).
CREATE TABLE channel_outbox_new (
    id         TEXT PRIMARY KEY,          -- also that of its first call
    channel    TEXT NOT NULL REFERENCES channels (name),
    kind       TEXT NOT NULL CHECK (kind IN ('answer', 'code', 'test', 'ask', 'told', 'reply', 'person')),
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
    sent_id    TEXT NOT NULL DEFAULT '',   -- the provider's id of it
    notice     INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO channel_outbox_new (id, channel, kind, address, subject, text, reply, session, agent, level, taint, call_id, attempts, next_at, state,
    why, created_at, ended_at, buttons, edit, sent_id) SELECT id, channel, kind, address, subject, text, reply, session, agent, level, taint, call_id,
    attempts, next_at, state, why, created_at, ended_at, buttons, edit, sent_id FROM channel_outbox;
DROP TABLE channel_outbox;
ALTER TABLE channel_outbox_new RENAME TO channel_outbox;
CREATE INDEX channel_outbox_waiting ON channel_outbox (next_at) WHERE state = 'waiting';
CREATE INDEX channel_outbox_ended ON channel_outbox (channel, ended_at);
CREATE INDEX channel_outbox_to ON channel_outbox (channel, address, created_at);
