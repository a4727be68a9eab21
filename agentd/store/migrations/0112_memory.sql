-- What the owner stated or confirmed with a signature: the note, and the hash of whose it is and of its text.
CREATE TABLE memory_signed (
    note_id TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    act_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    signed_at INTEGER NOT NULL
) STRICT;
