-- The very first start of this server, and what the seed of that start brought. There is one row, and it stays.
CREATE TABLE approver_first (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    key_id    TEXT NOT NULL,             -- of the key that the seed brought; empty when none was taken
    address   TEXT NOT NULL,             -- that ordered; empty when no seed was taken
    at        INTEGER NOT NULL,          -- Unix microseconds
    proven_at INTEGER                    -- when the hub first reported the address as proven; NULL until then
) STRICT;
CREATE TRIGGER approver_first_fixed BEFORE UPDATE ON approver_first
WHEN OLD.proven_at IS NOT NULL OR NEW.proven_at IS NULL
  OR (NEW.id, NEW.key_id, NEW.address, NEW.at) IS NOT (OLD.id, OLD.key_id, OLD.address, OLD.at)
BEGIN SELECT RAISE(ABORT, 'the first start of a server stays as it was'); END;
CREATE TRIGGER approver_first_stay BEFORE DELETE ON approver_first
BEGIN SELECT RAISE(ABORT, 'the first start of a server stays as it was'); END;
