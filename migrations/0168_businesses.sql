-- What kind of business a customer has chosen to be, and whether the list of first steps was put away.
CREATE TABLE businesses (
	customer_id uuid PRIMARY KEY REFERENCES customers ON DELETE CASCADE,
	kind        text NOT NULL DEFAULT '', -- none: the newest order tells it
	chosen_at   timestamptz,
	put_away_at timestamptz
);

-- Which first tasks there are, the program knows.
ALTER TABLE first_tasks DROP CONSTRAINT first_tasks_task_check;
ALTER TABLE first_tasks ADD CONSTRAINT first_tasks_task_check CHECK (task ~ '^[a-z]{1,20}$');

-- Customers who were through with the three tasks of before are not asked again.
INSERT INTO businesses (customer_id, put_away_at)
	SELECT customer_id, now() FROM first_tasks WHERE done_at IS NOT NULL OR dismissed_at IS NOT NULL
	GROUP BY customer_id HAVING count(*) = 3;
