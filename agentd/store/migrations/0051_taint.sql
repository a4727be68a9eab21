-- Where the content from outside came from that stands in the context of a run.
CREATE TABLE run_taint (
    run_id TEXT NOT NULL,
    source TEXT NOT NULL,
    ref    TEXT NOT NULL,                -- the message, or the call that brought it in
    at     INTEGER NOT NULL,             -- Unix microseconds
    PRIMARY KEY (run_id, source, ref)
) STRICT, WITHOUT ROWID;
