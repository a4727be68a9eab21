-- The version since which calls are decided as they are now: what changes only what the team may spend leaves it as it is, so that
-- nobody is asked again about a call for that.
ALTER TABLE config ADD COLUMN policy INTEGER NOT NULL DEFAULT 0;
UPDATE config SET policy = version;
