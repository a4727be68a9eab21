package gate

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
)

// decision is the verdict of stage 6 and the configuration it was made under.
type decision struct {
	policy.Verdict
	version int64
	err     error
}

// errStale says that the configuration changed between a decision and the act.
var errStale = errors.New("the configuration changed meanwhile")

// decide is stage 6.
func (p *pass) decide(ctx context.Context) decision {
	s := p.g.d.Rules.State()
	windows, err := p.g.windows(ctx, p.c.Agent, p.c.Tool)
	if err != nil {
		return decision{err: err}
	}
	in := policy.Input{Tier: p.class.Tier, Level: min(s.Level(p.c.Agent), p.c.Level), Unlocked: s.Unlocked(p.c.Agent, p.c.Tool)}
	v := policy.Decide(in)
	for _, w := range windows {
		if v.Effect != policy.Ask {
			break
		}
		in.Window = w
		v = policy.Decide(in)
	}
	return decision{Verdict: v, version: s.Version()}
}

// windows are the tiers of the open windows for an agent and a tool.
func (g *Gate) windows(ctx context.Context, agent, tool string) ([]policy.Tier, error) {
	rows, err := g.d.DB.Read().QueryContext(ctx, "SELECT tier FROM gate_windows WHERE agent = ? AND tool = ? AND until > ?", agent, tool, g.clock.now().Unix())
	if err != nil {
		return nil, fmt.Errorf("read windows: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	var all []policy.Tier
	for rows.Next() {
		var t policy.Tier
		if err := rows.Scan(&t); err != nil {
			return nil, fmt.Errorf("read windows: %w", err)
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// fresh answers errStale when d was made under a configuration that is no longer in force in this transaction.
func (ch change) fresh(d decision) error {
	v, err := config.VersionTx(ch.g.d.DB, ch.tx)
	if err != nil {
		return err
	}
	if v != d.version {
		return errStale
	}
	return nil
}
