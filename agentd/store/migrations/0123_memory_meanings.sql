-- What texts of notes mean, by the word of a model that turns them into vectors: each was paid for, and is asked for once. The hash is
-- the SHA-256 of the text; dims is how many numbers the model gave, data what was kept of them.
CREATE TABLE memory_meanings (
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    hash BLOB NOT NULL,
    dims INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (provider, model, hash)
) STRICT, WITHOUT ROWID;
