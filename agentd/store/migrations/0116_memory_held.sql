-- What is put aside stays so whatever its file says: by the id of the note, and by the hash of whose it is and of its text. The
-- owner's signed word takes the row away.
CREATE TABLE memory_held (
    note_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    reason TEXT NOT NULL,
    held_at INTEGER NOT NULL,
    PRIMARY KEY (note_id, hash)
) STRICT;

-- When memory was last looked through.
CREATE TABLE memory_checked (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;
