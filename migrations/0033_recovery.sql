-- The key to which the server seals the recovery code, as the browser that ordered has made it (wire.BoxKey, JSON); empty when
-- it made none.
ALTER TABLE orders ADD COLUMN approver_box text NOT NULL DEFAULT '';

-- The recovery code of each server in the box that one browser opens (wire.SealedRecovery, JSON), until somebody has written
-- it down.
ALTER TABLE approver_lists ADD COLUMN recovery jsonb;
