-- What the owner stated or confirmed with a signature: the note, and the hash of whose it is and of its text. While a note is being
-- changed it has two rows: a crash leaves the owner's word the owner's, whichever text the file then holds.
CREATE TABLE memory_signed (
    note_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    act_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    signed_at INTEGER NOT NULL,
    PRIMARY KEY (note_id, hash)
) STRICT;
