-- Codes that were confirmed on the server's own console, for the agentd that runs to carry out.
CREATE TABLE channel_pairs (
    code  TEXT PRIMARY KEY,
    owner INTEGER NOT NULL,               -- the person is the owner
    by    TEXT NOT NULL,
    at    INTEGER NOT NULL,
    said  TEXT NOT NULL DEFAULT ''        -- what came of it; empty: nothing yet
) STRICT;
