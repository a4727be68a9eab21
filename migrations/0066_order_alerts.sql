-- Orders that take longer than was promised, and those that need one of our staff: who was told of what.
ALTER TABLE orders
	ADD COLUMN told_late_at timestamptz,              -- when the customer was told that it takes longer
	ADD COLUMN alerted      text NOT NULL DEFAULT ''; -- what our staff were told of last: "late", or the failure of a step

-- Orders on their way, and those that failed on it: few of all.
CREATE INDEX orders_underway ON orders (created_at) WHERE state NOT IN ('FULFILLED', 'CANCELLED', 'ENDED', 'RELEASED');
