-- Calls on their way lie in a file beside the database now. Those that were counted, and that may still stand in that file.
CREATE TABLE llm_settled (
    id INTEGER PRIMARY KEY
) STRICT;

-- What calls may have used that a crash of the machine has lost: it counts against budgets, and is charged to nobody.
CREATE TABLE llm_lost (
    id     INTEGER PRIMARY KEY, -- of the block that it was reserved in
    agent  TEXT NOT NULL,
    model  TEXT NOT NULL,
    key    TEXT NOT NULL,
    input  INTEGER NOT NULL,
    output INTEGER NOT NULL,
    at     INTEGER NOT NULL     -- Unix seconds
) STRICT;

-- What was on its way when this was brought up to date counts as it did before: with what had passed, four bytes to a token.
INSERT INTO llm_buckets SELECT '00000000-0000-7000-9000-' || substr(lower(hex(randomblob(6))), 1, 12), hour, agent, parent, model, profile, key,
    (SELECT revision FROM llm_revision) + row_number() OVER (), requests, requests, input, output, 0, 0, input, output, 0, 0
FROM (SELECT seen - seen % 3600 AS hour, agent, parent, model, profile, key, count(*) AS requests,
    sum(CASE WHEN got > 0 THEN (sent + 3) / 4 ELSE 0 END) AS input, sum((got + 3) / 4) AS output
    FROM llm_started GROUP BY 1, 2, 3, 4, 5, 6);
UPDATE llm_revision SET revision = max(revision, (SELECT coalesce(max(revision), 0) FROM llm_buckets));
DROP TABLE llm_started;
