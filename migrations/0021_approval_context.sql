-- What stands behind a question besides what it asks: the guardian's verdict, content from outside, what a window or a
-- rule would hold for. It may name people and files, so it goes with the other contents when the question is answered.
ALTER TABLE approvals ADD COLUMN context jsonb,
	ADD CONSTRAINT approvals_context_erased CHECK (state = 'pending' OR context IS NULL);
