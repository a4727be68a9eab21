-- Whether a stranger stood behind a message: nobody had confirmed whoever wrote it.
ALTER TABLE channel_messages ADD COLUMN stranger INTEGER NOT NULL DEFAULT 0;
