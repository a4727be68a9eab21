-- What the meter counts, in whole hours. A row only grows, and only in the life of the process that made it: each start is an
-- epoch of its own, so that a database that was set back to an older copy makes no row that is known with other counts.
CREATE TABLE llm_buckets (
    epoch       TEXT NOT NULL,
    hour        INTEGER NOT NULL, -- Unix seconds of its beginning
    agent       TEXT NOT NULL,
    parent      TEXT NOT NULL,
    model       TEXT NOT NULL,
    profile     TEXT NOT NULL,
    key         TEXT NOT NULL,    -- whose: house, own or local
    revision    INTEGER NOT NULL, -- when it changed last
    requests    INTEGER NOT NULL,
    estimated   INTEGER NOT NULL,
    input       INTEGER NOT NULL, -- tokens, those of the cache not among them
    output      INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    est_input   INTEGER NOT NULL, -- among input
    est_output  INTEGER NOT NULL, -- among output
    searches    INTEGER NOT NULL,
    fetches     INTEGER NOT NULL,
    PRIMARY KEY (epoch, hour, agent, parent, model, profile, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX llm_buckets_revision ON llm_buckets (revision);
CREATE INDEX llm_buckets_hour ON llm_buckets (hour);

-- The newest revision that was given to a row.
CREATE TABLE llm_revision (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL
) STRICT;

-- Requests that were begun and are not among llm_buckets yet.
CREATE TABLE llm_started (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    agent   TEXT NOT NULL,
    parent  TEXT NOT NULL,
    model   TEXT NOT NULL,
    profile TEXT NOT NULL,
    key     TEXT NOT NULL,
    sent    INTEGER NOT NULL, -- bytes of text in the request
    got     INTEGER NOT NULL, -- bytes of text of the answer, as far as that was noted
    seen    INTEGER NOT NULL  -- Unix seconds of the last note
) STRICT;

-- What was counted before there were keys is shown and charged to nobody.
INSERT INTO llm_buckets SELECT '00000000-0000-7000-8000-' || substr(lower(hex(randomblob(6))), 1, 12), hour, agent, '', model, profile, 'own',
    row_number() OVER (ORDER BY hour, agent, profile, model), requests, unmetered, input, output, cache_read, cache_write, 0, 0, 0, 0 FROM llm_usage;
INSERT INTO llm_revision SELECT 1, count(*) FROM llm_buckets;
DROP TABLE llm_usage;
