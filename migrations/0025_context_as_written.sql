-- What stands behind a question is kept as it was written: jsonb takes no zero byte, and a question with one was refused.
ALTER TABLE approvals ALTER COLUMN context TYPE json;
