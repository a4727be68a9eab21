-- Content from outside in which something was noticed is looked for by people; nearly all receipts are of other things.
CREATE INDEX receipts_flagged ON receipts (seq) WHERE type = 'call.finished' AND json_array_length(body, '$.flagged') > 0;
