package budget

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Spent is what one agent used of one model.
type Spent struct {
	Agent, Model string
	Use
}

// Book says what was used with the operator's key in the hours from one moment until before another. What a process that
// ended had sent must stand in it before anything is reserved.
type Book interface {
	Spent(ctx context.Context, from, to time.Time) ([]Spent, error)
}

// Ledger knows what may still be used. It is safe for use by many goroutines.
type Ledger struct {
	book Book
	now  func() time.Time

	mu     sync.Mutex
	limits Limits
	pool   account // in thousandths of a token
	day    account
	agents map[string]int64 // used and reserved by each agent in the window of day
}

// account is what was used in a window of time.
type account struct {
	from, to time.Time
	used     int64 // and what calls on their way have reserved
}

func (a *account) holds(at time.Time) bool { return !at.Before(a.from) && at.Before(a.to) }

// New makes a Ledger. Until Set it lets every call go.
func New(book Book, now func() time.Time) *Ledger {
	return &Ledger{book: book, now: now, agents: map[string]int64{}}
}

// Set puts limits in force. It reads the book only for a window that it does not count yet, so that what is on its way
// stays counted. After an error the limits before are in force.
func (l *Ledger) Set(ctx context.Context, limits Limits) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	next := Ledger{limits: limits, pool: l.pool, day: l.day, agents: l.agents}
	if p := limits.Pool; p != nil {
		if from, to := window(*p, now); !from.Equal(next.pool.from) || !to.Equal(next.pool.to) {
			next.pool = account{from: from, to: to}
			spent, err := l.book.Spent(ctx, from, to)
			if err != nil {
				return fmt.Errorf("budget: pool: %w", err)
			}
			for _, s := range spent {
				if limits.draws(s.Model) {
					next.pool.used += limits.Pool.Weights.of(s.Use)
				}
			}
		}
	}
	if from, to := limits.day(now); !from.Equal(next.day.from) || !to.Equal(next.day.to) {
		next.day, next.agents = account{from: from, to: to}, map[string]int64{}
		spent, err := l.book.Spent(ctx, from, to)
		if err != nil {
			return fmt.Errorf("budget: day: %w", err)
		}
		for _, s := range spent {
			next.day.used += s.Tokens()
			next.agents[s.Agent] += s.Tokens()
		}
	}
	l.limits, l.pool, l.day, l.agents = next.limits, next.pool, next.day, next.agents
	return nil
}

// window is the period that counts at a moment. When the hub has not named the next one yet, the last one goes on by months.
func window(p Pool, at time.Time) (from, to time.Time) {
	from, to = p.From, p.To
	for n := 1; !at.Before(to); n++ {
		from, to = to, p.To.AddDate(0, n, 0)
	}
	return from, to
}

// roll begins the windows that a moment lies in. What is on its way was reserved in the one before, and leaves it there.
func (l *Ledger) roll(at time.Time) {
	if p := l.limits.Pool; p != nil && !l.pool.holds(at) && at.After(l.pool.from) {
		l.pool.from, l.pool.to = window(*p, at)
		l.pool.used = 0
	}
	if !l.day.holds(at) && at.After(l.day.from) {
		l.day.from, l.day.to = l.limits.day(at)
		l.day.used, l.agents = 0, map[string]int64{}
	}
}

// Reserve takes the most that a call can use out of every budget that it falls under, or says which of them is used up.
func (l *Ledger) Reserve(agent, model string, most Ceiling) (*Hold, *Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roll(l.now())
	if no := l.refuse(agent, model, most); no != nil {
		return nil, no
	}
	h := &Hold{ledger: l, agent: agent, model: model, tokens: most.Input + most.Output, pool: l.pool.from, day: l.day.from}
	if l.limits.draws(model) {
		h.drawn = l.limits.Pool.Weights.most(most)
	}
	l.add(h, h.tokens, h.drawn)
	return h, nil
}

func (l *Ledger) refuse(agent, model string, most Ceiling) *Refusal {
	tokens := most.Input + most.Output
	switch {
	case !fits(l.limits.Agents[agent], l.agents[agent], tokens):
		return &Refusal{Budget: OfAgent, Limit: l.limits.Agents[agent], Used: l.agents[agent], Until: l.day.to}
	case !fits(l.limits.Day, l.day.used, tokens):
		return &Refusal{Budget: OfTeam, Limit: l.limits.Day, Used: l.day.used, Until: l.day.to}
	case !l.limits.draws(model) || l.limits.Beyond:
		return nil
	}
	pool := l.limits.Pool
	if l.pool.used+pool.Weights.most(most) <= pool.Tokens*whole {
		return nil
	}
	return &Refusal{Budget: OfPool, Limit: pool.Tokens, Used: l.pool.used / whole, Until: l.pool.to}
}

// fits says whether more goes into a budget of which a part is used; 0 is no budget.
func fits(budget, used, more int64) bool { return budget == 0 || used+more <= budget }

// add counts a call in the windows that it was reserved in, as far as they still count.
func (l *Ledger) add(h *Hold, tokens, drawn int64) {
	if h.pool.Equal(l.pool.from) {
		l.pool.used = max(l.pool.used+drawn, 0)
	}
	if h.day.Equal(l.day.from) {
		l.day.used = max(l.day.used+tokens, 0)
		l.agents[h.agent] = max(l.agents[h.agent]+tokens, 0)
	}
}
