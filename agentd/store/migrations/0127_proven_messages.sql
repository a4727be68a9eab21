-- Whether the sender of a message was proven: what comes in somebody's name uses up none of what they may write themselves.
ALTER TABLE channel_messages ADD COLUMN proven INTEGER NOT NULL DEFAULT 0;
-- How many were refused for the same reason within the hour that begins with this one, and how many bytes of files were kept.
ALTER TABLE channel_messages ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
ALTER TABLE channel_messages ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
