-- Ways other than the portal to write to the team.
CREATE TABLE channels (
    name       TEXT PRIMARY KEY,
    state      TEXT NOT NULL CHECK (state IN ('active', 'paused', 'removed')),
    agent      TEXT NOT NULL,
    policy     TEXT NOT NULL CHECK (policy IN ('pairing', 'allowlist', 'open', 'disabled')),
    settings   TEXT NOT NULL,             -- wire.MailSettings, JSON; the password lies in the vault
    level      INTEGER NOT NULL,          -- its runs stand no higher
    cursor     TEXT NOT NULL,             -- how far the provider's messages were taken
    origin     TEXT NOT NULL,             -- wire.DecidedBy, JSON: who set it up
    last_act   TEXT NOT NULL,             -- the act that changed it last
    version    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,          -- Unix microseconds, as all times here
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE channel_people (
    id      TEXT PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels (name),
    address TEXT NOT NULL,                -- in the form in which addresses are compared
    state   TEXT NOT NULL CHECK (state IN ('waiting', 'paired', 'blocked')),
    owner   INTEGER NOT NULL,
    code    TEXT NOT NULL,                -- of one who waits
    until   INTEGER NOT NULL,             -- so long does the code count
    since   INTEGER NOT NULL,
    UNIQUE (channel, address)
) STRICT;

-- What came. A message is written in the transaction that begins its run; mark is by what it is known again.
CREATE TABLE channel_messages (
    seq     INTEGER PRIMARY KEY,
    channel TEXT NOT NULL REFERENCES channels (name),
    mark    TEXT NOT NULL,                -- hex SHA-256
    address TEXT NOT NULL,
    at      INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused', 'code')),
    reason  TEXT NOT NULL,
    run_id  TEXT NOT NULL,
    session TEXT NOT NULL,
    reply   TEXT NOT NULL,                -- how it is answered, JSON
    open    INTEGER NOT NULL,             -- its run has not been answered yet
    UNIQUE (channel, mark)
) STRICT;
CREATE INDEX channel_messages_open ON channel_messages (seq) WHERE open = 1;
CREATE INDEX channel_messages_at ON channel_messages (channel, at);
CREATE INDEX channel_messages_from ON channel_messages (channel, address, at);

-- Which conversation a message belongs to, for each person apart: nobody gets into that of another by naming its messages.
CREATE TABLE channel_refs (
    channel TEXT NOT NULL REFERENCES channels (name),
    address TEXT NOT NULL,
    ref     TEXT NOT NULL,                -- hex SHA-256 of the provider's id of a message
    session TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (channel, address, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_refs_at ON channel_refs (at);

-- What is to be sent, and what became of it.
CREATE TABLE channel_outbox (
    id         TEXT PRIMARY KEY,          -- also that of its first call
    channel    TEXT NOT NULL REFERENCES channels (name),
    kind       TEXT NOT NULL CHECK (kind IN ('answer', 'code', 'test')),
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
    ended_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX channel_outbox_waiting ON channel_outbox (next_at) WHERE state = 'waiting';
CREATE INDEX channel_outbox_ended ON channel_outbox (channel, ended_at);
