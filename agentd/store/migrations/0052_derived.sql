-- Files of the business that were written by a run which had read content from outside: who reads them, reads that.
CREATE TABLE derived_files (
    path   TEXT NOT NULL,                -- under the data folder
    source TEXT NOT NULL,
    ref    TEXT NOT NULL,
    at     INTEGER NOT NULL,             -- Unix microseconds
    PRIMARY KEY (path, source, ref)
) STRICT, WITHOUT ROWID;
