-- The recovery code that this server has made for a browser, and the box in which the browser gets it. A code that was printed
-- on the console lies in a file; of the two the newer counts.
CREATE TABLE approver_recovery (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    key     TEXT NOT NULL,               -- slow hash of the code, hex; empty: it was withdrawn
    key_id  TEXT NOT NULL,               -- of the approver key whose browser opens the box
    box     TEXT,                        -- NULL once the code was written down, used or withdrawn
    made_at INTEGER NOT NULL             -- Unix microseconds
) STRICT;
