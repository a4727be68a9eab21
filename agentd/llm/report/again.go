package report

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// again puts the rows of days into the outbox once more. How far a meter was read stays as it is.
func (r *Reporter) again(ctx context.Context, p wire.UsageAgainParams) (out wire.UsageAgain, err error) {
	if len(p.Days) == 0 || len(p.Days) > wire.MaxUsageDays {
		return out, &wire.RPCError{Code: "bad_request", Text: "The question cannot be read."}
	}
	r.round.Lock()
	defer r.round.Unlock()
	for name, s := range r.d.Sources {
		for _, day := range p.Days {
			n, err := r.dayAgain(ctx, s, day.UTC().Truncate(24*time.Hour))
			if err != nil {
				return out, fmt.Errorf("report usage of %s again: %w", name, err)
			}
			out.Rows += n
		}
	}
	return out, nil
}

func (r *Reporter) dayAgain(ctx context.Context, s Source, day time.Time) (n int, err error) {
	for after := int64(0); ; {
		rows, err := s.OfDay(ctx, day, after, wire.MaxUsageRows)
		if err != nil || len(rows) == 0 {
			return n, err
		}
		n, after = n+len(rows), rows[len(rows)-1].Revision
		err = r.d.DB.Write(ctx, func(tx *sql.Tx) error {
			return r.d.Outbox.Put(ctx, tx, wire.TypeUsageReport, wire.UsageReport{Rows: rows})
		})
		if err != nil || len(rows) < wire.MaxUsageRows {
			return n, err
		}
	}
}
