package db

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/welcome"
)

// FirstTasks keeps what became of the first tasks of customers. It is welcome.Store.
type FirstTasks struct{ DB *DB }

var _ welcome.Store = (*FirstTasks)(nil)

// Read is what a customer is offered: the newest order tells their kind of business.
func (s *FirstTasks) Read(ctx context.Context, of account.CustomerID) (welcome.State, error) {
	st := welcome.State{Marks: map[welcome.Task]welcome.Mark{}}
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT o.business_type, o.state = @fulfilled, coalesce(f.task, ''), f.done_at IS NOT NULL,
			f.dismissed_at IS NOT NULL
		FROM (SELECT customer_id, business_type, state FROM orders WHERE customer_id = @of ORDER BY created_at DESC, id DESC LIMIT 1) o
		LEFT JOIN first_tasks f ON f.customer_id = o.customer_id`, named{"of": of, "fulfilled": order.Fulfilled})
	if err != nil {
		return welcome.State{}, fmt.Errorf("read first tasks: %w", toFault(err))
	}
	var task string
	var mark welcome.Mark
	_, err = pgx.ForEachRow(rows, []any{&st.Kind, &st.Ready, &task, &mark.Done, &mark.Dismissed}, func() error {
		st.Marks[welcome.Task(task)] = mark
		return nil
	})
	if err != nil {
		return welcome.State{}, fmt.Errorf("read first tasks: %w", toFault(err))
	}
	return st, nil
}

// Done notes when the message of a task was first sent.
func (s *FirstTasks) Done(ctx context.Context, of account.CustomerID, t welcome.Task, at time.Time) error {
	_, err := s.DB.pgx(ctx).Exec(ctx, `INSERT INTO first_tasks (customer_id, task, done_at) VALUES (@of, @task, @at)
		ON CONFLICT (customer_id, task) DO UPDATE SET done_at = coalesce(first_tasks.done_at, excluded.done_at)`,
		named{"of": of, "task": t, "at": at})
	if err != nil {
		return fmt.Errorf("save first task: %w", toFault(err))
	}
	return nil
}

// Dismiss notes when a task was dismissed; a zero time takes that back.
func (s *FirstTasks) Dismiss(ctx context.Context, of account.CustomerID, t welcome.Task, at time.Time) error {
	var when *time.Time
	if !at.IsZero() {
		when = &at
	}
	_, err := s.DB.pgx(ctx).Exec(ctx, `INSERT INTO first_tasks (customer_id, task, dismissed_at) VALUES (@of, @task, @at)
		ON CONFLICT (customer_id, task) DO UPDATE SET dismissed_at = excluded.dismissed_at`,
		named{"of": of, "task": t, "at": when})
	if err != nil {
		return fmt.Errorf("save first task: %w", toFault(err))
	}
	return nil
}
