-- A checkpoint names the one before it. Those made before say nothing of that kind, and that is what they signed.
ALTER TABLE checkpoints ADD COLUMN prev_seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE checkpoints ADD COLUMN prev_hash TEXT NOT NULL DEFAULT '';
