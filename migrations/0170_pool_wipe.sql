-- Machines of the pool that wipe themselves at the hub's signed command when their server is released.
ALTER TABLE pool_machines
	ADD COLUMN wipe_by       text NOT NULL DEFAULT '', -- who of our staff confirmed it with a code; empty: nobody did
	ADD COLUMN wipe_asked_at timestamptz,              -- when
	ADD COLUMN wipe_begun_at timestamptz,              -- when the command was first sent
	ADD COLUMN wiped_at      timestamptz,              -- when the hub saw that nothing is left; it is looked at again before it is free
	ADD CONSTRAINT pool_machines_wipe CHECK ((wipe_by = '') = (wipe_asked_at IS NULL)),
	ADD CONSTRAINT pool_machines_wiped CHECK (wiped_at IS NULL OR state IN ('taken', 'held'));
