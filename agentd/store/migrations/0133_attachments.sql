-- Files that go with the answer of a run: tool.Attachment, JSON. Empty: none do.
ALTER TABLE runs ADD COLUMN attached TEXT NOT NULL DEFAULT '';
-- Files that go with a letter: channel.SentFile, JSON. Their copies lie in the state folder while it waits.
ALTER TABLE channel_outbox ADD COLUMN files TEXT NOT NULL DEFAULT '[]';
