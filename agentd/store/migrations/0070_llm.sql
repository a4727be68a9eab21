-- What the model proxy remembers. It lies in the proxy's own state directory; agentd's own database has it empty.

-- Profiles that rest after failures. model is empty when the account as a whole rests.
CREATE TABLE llm_rests (
    profile  TEXT NOT NULL,
    model    TEXT NOT NULL,
    why      TEXT NOT NULL,
    failures INTEGER NOT NULL,
    until    INTEGER NOT NULL, -- Unix milliseconds
    PRIMARY KEY (profile, model)
) STRICT, WITHOUT ROWID;

-- What was used, in whole hours. Cumulative: a row only grows.
CREATE TABLE llm_usage (
    agent       TEXT NOT NULL,
    profile     TEXT NOT NULL,
    model       TEXT NOT NULL,
    hour        INTEGER NOT NULL, -- Unix seconds of its beginning
    requests    INTEGER NOT NULL,
    unmetered   INTEGER NOT NULL, -- requests whose answer did not say what it used
    input       INTEGER NOT NULL, -- tokens, those of the cache not among them
    output      INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    PRIMARY KEY (agent, profile, model, hour)
) STRICT, WITHOUT ROWID;
