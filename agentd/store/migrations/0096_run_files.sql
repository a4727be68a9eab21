-- The files that went with a message: paths beneath the data folder, JSON. Empty: none did.
ALTER TABLE runs ADD COLUMN files TEXT NOT NULL DEFAULT '';
