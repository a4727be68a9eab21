-- How far the link to the hub has come. One row.
CREATE TABLE link_state (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    out_seq INTEGER NOT NULL, -- number of the last reliable frame that was put in the outbox
    in_seq  INTEGER NOT NULL  -- number of the last reliable frame of the hub that was applied
) STRICT;
INSERT INTO link_state (one, out_seq, in_seq) VALUES (1, 0, 0);

-- Frames for the hub, kept until it says that it has applied them.
CREATE TABLE link_out (
    seq  INTEGER PRIMARY KEY,
    id   TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    time TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- Frames of the hub that were applied, so that none is applied twice whatever number it comes with.
CREATE TABLE link_in (
    id         TEXT PRIMARY KEY,
    type       TEXT NOT NULL,
    applied_at TEXT NOT NULL,
    refused    TEXT NOT NULL -- why it was taken without effect, or empty
) STRICT, WITHOUT ROWID;
