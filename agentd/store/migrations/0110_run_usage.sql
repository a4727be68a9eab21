-- What each message used: the requests of its run and of all runs that were delegated for it. They are among llm_buckets too.
CREATE TABLE llm_runs (
    run         TEXT NOT NULL,    -- the root run
    agent       TEXT NOT NULL,
    model       TEXT NOT NULL,
    key         TEXT NOT NULL,    -- as in llm_buckets
    hour        INTEGER NOT NULL, -- Unix seconds of its beginning
    requests    INTEGER NOT NULL,
    estimated   INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    cache_read  INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    est_input   INTEGER NOT NULL,
    est_output  INTEGER NOT NULL,
    PRIMARY KEY (run, hour, agent, model, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX llm_runs_hour ON llm_runs (hour);
