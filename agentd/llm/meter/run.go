package meter

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/llm/slate"
	"gatehouse/agentd/wire"
)

// runLine is what one agent used of one model in an hour, for one root run.
type runLine struct {
	run, agent, model, key string
	hour                   int64
}

// run is the root run of a call as the record of calls on their way has it. What is no UUID is none.
func (c Call) run() slate.Run {
	id, err := uuid.Parse(c.Run)
	if err != nil {
		return slate.Run{}
	}
	return slate.Run(id)
}

// runName is the other way round.
func runName(r slate.Run) string {
	if r == (slate.Run{}) {
		return ""
	}
	return uuid.UUID(r).String()
}

// keepRuns adds what runs used to their rows.
func (b *Book) keepRuns(tx *sql.Tx, p *page) error {
	for l, c := range p.runs {
		_, err := b.db.Exec(tx, `INSERT INTO llm_runs (run, agent, model, key, hour, requests, estimated,
				input, output, cache_read, cache_write, est_input, est_output)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (run, hour, agent, model, key) DO UPDATE SET
			requests = requests + excluded.requests, estimated = estimated + excluded.estimated,
			input = input + excluded.input, output = output + excluded.output,
			cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
			est_input = est_input + excluded.est_input, est_output = est_output + excluded.est_output`,
			l.run, l.agent, l.model, l.key, l.hour, c.Requests, c.Estimated,
			c.Input, c.Output, c.CacheRead, c.CacheWrite, c.EstInput, c.EstOutput)
		if err != nil {
			return err
		}
	}
	return nil
}

// OfRun is what a root run used, with the runs that were delegated for it, by hour, agent and model.
func (b *Book) OfRun(ctx context.Context, run string) ([]wire.RunUse, error) {
	rows, err := b.db.Read().QueryContext(ctx, `SELECT agent, model, key, hour, requests, estimated, input, output, cache_read,
			cache_write, est_input, est_output
		FROM llm_runs WHERE run = ? ORDER BY hour, agent, model, key`, run)
	if err != nil {
		return nil, fmt.Errorf("read usage of a run: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	all := []wire.RunUse{}
	for rows.Next() {
		var u wire.RunUse
		var hour int64
		if err := rows.Scan(&u.Agent, &u.Model, &u.Key, &hour, &u.Requests, &u.Estimated, &u.Input, &u.Output, &u.CacheRead,
			&u.CacheWrite, &u.EstInput, &u.EstOutput); err != nil {
			return nil, fmt.Errorf("read usage of a run: %w", err)
		}
		u.Hour = time.Unix(hour, 0).UTC()
		all = append(all, u)
	}
	return all, rows.Err()
}
