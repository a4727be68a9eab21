package gate

import (
	"context"
	"time"
)

// MaxApprovalSize is maxApprovalSize.
const MaxApprovalSize = maxApprovalSize

// ErrStale is errStale.
var ErrStale = errStale

// Patient lets tools take as long to classify a call as a busy machine may need for a large one. Call it before the first Do.
func (g *Gate) Patient() { g.classifyTimeout = time.Minute }

// WhereNotEnded picks calls that have not ended.
var WhereNotEnded = []string{whereNotEnded, whereStarted}

// StartAfter takes a call to its decision, lets between happen, and then to its start, as a call does beside which others
// go on. approval names the one that a person has answered; empty: none is needed.
func (g *Gate) StartAfter(ctx context.Context, c Call, approval string, between func()) error {
	p := &pipeline{Gate: g, call: c, onParked: func(bool) {}, rawArgsHash: rawHash(c.Args)}
	if approval != "" {
		return p.startAnswered(ctx, approval, between)
	}
	if err := p.inspect(ctx); err != nil {
		return err
	}
	d := p.decide(ctx)
	if d.err != nil {
		return d.err
	}
	between()
	return p.recordStart(ctx, d, nil)
}

func (p *pipeline) startAnswered(ctx context.Context, approval string, between func()) error {
	a, err := loadApproval(ctx, p.db.Read(), approval)
	if err == nil {
		p.record, err = loadRecord(ctx, p.db.Read(), p.call.ID)
	}
	if err != nil {
		return err
	}
	p.startLimitsVersion = -1
	d, why, err := p.recheck(ctx, a)
	if err != nil {
		return err
	}
	if why != "" {
		return &refusal{"test", why, why}
	}
	between()
	return p.recordStart(ctx, d, a)
}
