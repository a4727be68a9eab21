-- What became of the first tasks that a new customer is offered. Which task it is, and no word of what was written.
CREATE TABLE first_tasks (
	customer_id  uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
	task         text NOT NULL CHECK (task IN ('write', 'mail', 'files')),
	done_at      timestamptz, -- its message was sent
	dismissed_at timestamptz,
	PRIMARY KEY (customer_id, task)
);

-- Customers from before know their way.
INSERT INTO first_tasks (customer_id, task, dismissed_at)
	SELECT c.id, t, now() FROM customers c CROSS JOIN unnest(ARRAY['write', 'mail', 'files']) t;
