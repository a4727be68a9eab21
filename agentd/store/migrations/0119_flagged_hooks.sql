-- What was noticed in content from outside that tools brought in, or that came to a hook.
DROP INDEX receipts_flagged;
CREATE INDEX receipts_flagged ON receipts (seq) WHERE type IN ('call.finished', 'hook.accepted') AND instr(body, '"flagged":["') > 0;
