package budget

import "context"

// mostShort bounds how many agents are remembered whose call did not fit; forgetting one costs one more refused call.
const mostShort = 1000

// Pause says which budget keeps an agent from working: neither a call of least fits, nor the last one of the agent that was refused,
// even when nothing else is on its way. Nil: none does. What is forbidden however much is left is no budget.
func (l *Ledger) Pause(ctx context.Context, agent, model string, least Ceiling) (*Refusal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, err := l.count(ctx, l.limits, false)
	if err != nil {
		return nil, err
	}
	l.counts = next
	need := l.short[agent]
	no := l.refuse(&Hold{agent: agent, model: model, most: Ceiling{max(need.Input, least.Input), max(need.Output, least.Output)}}, nil)
	if no == nil || no.Limit == 0 {
		return nil, nil
	}
	return no, nil
}

// fellShort remembers a refused call that would not have fitted alone either. One that only reads, as for a vector, says nothing about
// whether the agent can answer.
func (l *Ledger) fellShort(h *Hold) {
	no := l.refuse(h, nil)
	if h.most.Output == 0 || no == nil || no.Limit == 0 {
		return
	}
	if len(l.short) >= mostShort {
		clear(l.short)
	}
	l.short[h.agent] = h.most
}

// fitted forgets what did not fit before: the agent can work.
func (l *Ledger) fitted(h *Hold) {
	if h.most.Output > 0 {
		delete(l.short, h.agent)
	}
}
