-- The version of the wire that the program spoke which kept this configuration; 0: one from before that was noted. An older
-- program drops what it does not know of a configuration, and its successor asks the hub for the whole of it.
ALTER TABLE config ADD COLUMN wire INTEGER NOT NULL DEFAULT 0;
