-- Content from outside in which something was noticed is looked for by people; nearly all receipts are of other things.
-- A body is canonical JSON, so what is in the list shows in the text; a body that was tampered with must not stop anything.
CREATE INDEX receipts_flagged ON receipts (seq) WHERE type = 'call.finished' AND instr(body, '"flagged":["') > 0;
