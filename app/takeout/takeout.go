package takeout

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/page"
)

// Most is how many items one export has at most.
const Most = 100_000

// Desk puts exports on record.
type Desk struct {
	Record audit.Record
	Now    func() time.Time
}

// Begin puts on record that by takes a list out, before the first item of it is read. Details say what it was narrowed to; empty ones
// are left out.
func (d Desk) Begin(ctx context.Context, by audit.Actor, action string, details map[string]string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	e := audit.Entry{ID: id.String(), At: d.Now().UTC(), By: by, Action: action, Details: map[string]string{}}
	for name, v := range details {
		if v != "" {
			e.Details[name] = v
		}
	}
	if err := d.Record.Add(ctx, e); err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}

// All hands the items of a list to each, page by page, at most Most of them. ask is how the list begins.
func All[T any](ctx context.Context, ask page.Ask, list func(context.Context, page.Ask) (page.Of[T], error), each func([]T) error) error {
	for left := Most; left > 0; left -= ask.Limit {
		ask.Limit = min(page.MaxLimit, left)
		of, err := list(ctx, ask)
		if err != nil {
			return err
		}
		if err := each(of.Items); err != nil || of.Next == "" {
			return err
		}
		ask.After = of.Next
	}
	return nil
}
