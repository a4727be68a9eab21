package setup

import (
	"context"
	"fmt"

	"gatehouse/app/provider/target"
)

// Finding is what a step's check says of a machine.
type Finding struct {
	Step Step
	Done bool   // the step would find nothing to do
	Text string // why the check could not be made, in words; empty: it was
}

// Examine asks each step's check how a machine is, and changes nothing: there are no attempts, no lines and no upload. It gives the
// machine as it was met. What a plan has of secrets goes to a machine alone whose key is known.
func (r *Runner) Examine(ctx context.Context, at target.Machine, p Plan) (target.Machine, []Finding, error) {
	p.Token, p.Seed = "", ""
	if at.HostKey == "" {
		p.ModelKey = ""
	}
	w := &work{Runner: r, Plan: p, at: at, say: func(...string) {}}
	if err := w.connect(ctx); err != nil {
		return at, nil, fmt.Errorf("examine %s: %w", at.Address, err)
	}
	defer func() { _ = w.conn.Close() }() // nothing was written
	sum, sumErr := target.Sum(r.Agentd)
	w.sum = sum
	var all []Finding
	for _, s := range Steps() {
		f := Finding{Step: s}
		done, err := w.checked(ctx, s, false)
		if err == nil && s.Name == stepAgentd {
			err = sumErr
		}
		if f.Done = done; err != nil {
			f.Done, f.Text = false, err.Error()
		}
		all = append(all, f)
	}
	return w.at, all, nil
}
