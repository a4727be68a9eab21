package gate

import (
	"context"
	"time"
)

// MaxAsked is maxAsked.
const MaxAsked = maxAsked

// ErrStale is errStale.
var ErrStale = errStale

// Patient lets tools take as long to classify a call as a busy machine may need for a large one. Call it before the first Do.
func (g *Gate) Patient() { g.patience = time.Minute }

// WhereLeft picks calls that have not ended.
var WhereLeft = []string{whereOpen, whereStarted}

// StartAfter takes a call to its decision, lets between happen, and then to its start, as a call does beside which others
// go on. approval names the one that a person has answered; empty: none is needed.
func (g *Gate) StartAfter(ctx context.Context, c Call, approval string, between func()) error {
	p := &pass{g: g, c: c, parked: func(bool) {}, asWritten: rawHash(c.Args)}
	if approval != "" {
		return p.startAnswered(ctx, approval, between)
	}
	if err := p.judge(ctx); err != nil {
		return err
	}
	d := p.decide(ctx)
	if d.err != nil {
		return d.err
	}
	between()
	return p.start(ctx, d, nil)
}

func (p *pass) startAnswered(ctx context.Context, approval string, between func()) error {
	a, err := loadQuestion(ctx, p.g.d.DB.Read(), approval)
	if err == nil {
		p.rec, err = loadRecord(ctx, p.g.d.DB.Read(), p.c.ID)
	}
	if err != nil {
		return err
	}
	p.startedBy = -1
	d, why, err := p.again(ctx, a)
	if err != nil {
		return err
	}
	if why != "" {
		return &refusal{"test", why, why}
	}
	between()
	return p.start(ctx, d, a)
}
