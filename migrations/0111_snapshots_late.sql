-- When our staff were told last that a server has no new daily snapshot.
ALTER TABLE machines_seen ADD COLUMN late_told_at timestamptz;
