-- A message that became part of another run of its conversation: that run, and after which of its steps.
ALTER TABLE runs ADD COLUMN joined TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN joined_step INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_joined ON runs (joined, seq) WHERE joined <> '';
