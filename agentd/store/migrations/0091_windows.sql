-- What a window was opened under: it ends when the owner takes that back. Old ones say nothing and end by their time.
ALTER TABLE gate_windows ADD COLUMN key_id   TEXT NOT NULL DEFAULT '';    -- of the key that opened it
ALTER TABLE gate_windows ADD COLUMN level    INTEGER NOT NULL DEFAULT 0;  -- the agent's then
ALTER TABLE gate_windows ADD COLUMN unlocked INTEGER NOT NULL DEFAULT 0;  -- whether the tool was open outward to the agent
ALTER TABLE gate_windows ADD COLUMN rules    INTEGER NOT NULL DEFAULT -1; -- version of the owner's rules; -1: unknown
