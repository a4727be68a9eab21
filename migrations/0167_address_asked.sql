-- When the owners of a month that waits for their address were asked for it last.
ALTER TABLE billing_periods ADD COLUMN asked_at timestamptz;
