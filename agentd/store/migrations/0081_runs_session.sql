-- Which runs of a conversation are turns of it stands in the index: a long conversation is not read as a whole for it.
DROP INDEX runs_session;
CREATE INDEX runs_session ON runs (session_id, seq, depth, id);
