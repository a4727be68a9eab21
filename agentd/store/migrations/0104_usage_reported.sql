-- Up to which revision of a meter the rows were put into the outbox.
CREATE TABLE usage_reported (
    source   TEXT PRIMARY KEY, -- proxy or own
    revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
