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

// Read is what a customer is offered. As long as they have chosen no kind of business, the newest order tells it.
func (s *FirstTasks) Read(ctx context.Context, of account.CustomerID) (welcome.State, error) {
	st := welcome.State{Marks: map[welcome.Task]welcome.Mark{}}
	rows, err := s.DB.pgx(ctx).Query(ctx, `SELECT coalesce(nullif(b.kind, ''), o.business_type), o.state = @fulfilled,
			b.put_away_at IS NOT NULL, coalesce(f.task, ''), f.done_at IS NOT NULL, f.dismissed_at IS NOT NULL
		FROM (SELECT customer_id, business_type, state FROM orders WHERE customer_id = @of ORDER BY created_at DESC, id DESC LIMIT 1) o
		LEFT JOIN businesses b ON b.customer_id = o.customer_id
		LEFT JOIN first_tasks f ON f.customer_id = o.customer_id`, named{"of": of, "fulfilled": order.Fulfilled})
	if err != nil {
		return welcome.State{}, fmt.Errorf("read first tasks: %w", toFault(err))
	}
	var task string
	var mark welcome.Mark
	_, err = pgx.ForEachRow(rows, []any{&st.Kind, &st.Ready, &st.PutAway, &task, &mark.Done, &mark.Dismissed}, func() error {
		st.Marks[welcome.Task(task)] = mark
		return nil
	})
	if err != nil {
		return welcome.State{}, fmt.Errorf("read first tasks: %w", toFault(err))
	}
	return st, nil
}

// Choose notes the kind of business, and shows the list again.
func (s *FirstTasks) Choose(ctx context.Context, of account.CustomerID, kind string, at time.Time) error {
	_, err := s.DB.pgx(ctx).Exec(ctx, `INSERT INTO businesses (customer_id, kind, chosen_at) VALUES (@of, @kind, @at)
		ON CONFLICT (customer_id) DO UPDATE SET kind = excluded.kind, chosen_at = excluded.chosen_at, put_away_at = NULL`,
		named{"of": of, "kind": kind, "at": at})
	if err != nil {
		return fmt.Errorf("save kind of business: %w", toFault(err))
	}
	return nil
}

// PutAway notes when the list was put away; a zero time brings it back, with all that was dismissed.
func (s *FirstTasks) PutAway(ctx context.Context, of account.CustomerID, at time.Time) error {
	var when *time.Time
	if !at.IsZero() {
		when = &at
	}
	_, err := s.DB.pgx(ctx).Exec(ctx, `WITH back AS (
			UPDATE first_tasks SET dismissed_at = NULL WHERE customer_id = @of AND @at::timestamptz IS NULL)
		INSERT INTO businesses (customer_id, put_away_at) VALUES (@of, @at)
		ON CONFLICT (customer_id) DO UPDATE SET put_away_at = excluded.put_away_at`, named{"of": of, "at": when})
	if err != nil {
		return fmt.Errorf("put first tasks away: %w", toFault(err))
	}
	return nil
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
