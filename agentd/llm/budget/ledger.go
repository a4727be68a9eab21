package budget

import (
	"context"
	"fmt"
	"math"
	"reflect"
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
	counts counts
	open   map[*Hold]bool     // of calls on their way, in whatever window they began
	short  map[string]Ceiling // the last call of an agent that would not have fitted alone either, while none has fitted since
}

// counts are what was settled in the windows that count now.
type counts struct {
	pool, day window
	drawn     int64 // of the pool, in thousandths of a token
	used      int64 // today
	agents    map[string]int64
}

// window is a span of time; to is no part of it.
type window struct{ from, to time.Time }

func (w window) is(o window) bool { return w.from.Equal(o.from) && w.to.Equal(o.to) }

// New makes a Ledger. Until Set it lets every call go.
func New(book Book, now func() time.Time) *Ledger {
	return &Ledger{book: book, now: now, counts: counts{agents: map[string]int64{}}, open: map[*Hold]bool{}, short: map[string]Ceiling{}}
}

// Set puts limits in force. What is on its way stays counted. After an error the limits before are in force.
func (l *Ledger) Set(ctx context.Context, limits Limits) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	anew := !reflect.DeepEqual(limits.Premium, l.limits.Premium) || !reflect.DeepEqual(limits.weights(), l.limits.weights())
	next, err := l.count(ctx, limits, anew)
	if err != nil {
		return err
	}
	l.limits, l.counts = limits, next
	return nil
}

// count is what counts now: as it is, while the windows are the same, else as the book has it. Whether the clock went on, or was
// set, makes no difference.
func (l *Ledger) count(ctx context.Context, limits Limits, anew bool) (counts, error) {
	now, next := l.now(), l.counts
	if pool := limits.window(now); anew || !pool.is(next.pool) {
		next.pool, next.drawn = pool, 0
		spent, err := l.book.Spent(ctx, pool.from, pool.to)
		if err != nil {
			return next, fmt.Errorf("budget: pool: %w", err)
		}
		for _, s := range spent {
			if limits.draws(s.Model) {
				next.drawn = plus(next.drawn, limits.weights().of(s.Use))
			}
		}
	}
	if day := limits.day(now); !day.is(next.day) {
		next.day, next.used, next.agents = day, 0, map[string]int64{}
		spent, err := l.book.Spent(ctx, day.from, day.to)
		if err != nil {
			return next, fmt.Errorf("budget: day: %w", err)
		}
		for _, s := range spent {
			next.used = plus(next.used, s.Tokens())
			next.agents[s.Agent] = plus(next.agents[s.Agent], s.Tokens())
		}
	}
	return next, nil
}

// Reserve takes the most that a call can use out of every budget that it falls under, or says which of them is used up. The error
// is the book's: what cannot be counted is not to be sent.
func (l *Ledger) Reserve(ctx context.Context, agent, model string, most Ceiling) (*Hold, *Refusal, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, err := l.count(ctx, l.limits, false)
	if err != nil {
		return nil, nil, err
	}
	l.counts = next
	h := &Hold{ledger: l, agent: agent, model: model, most: most.bounded()}
	if no := l.refuse(h, l.open); no != nil {
		l.fellShort(h)
		return nil, no, nil
	}
	l.open[h] = true
	l.fitted(h)
	return h, nil, nil
}

// refuse says which budget a call does not fit into, beside others that are on their way.
func (l *Ledger) refuse(h *Hold, beside map[*Hold]bool) *Refusal {
	if no := l.limits.forbids(h.agent, h.model); no != nil {
		return no
	}
	onWay, own, drawn := l.counts.used, l.counts.agents[h.agent], l.counts.drawn
	for other := range beside {
		onWay = plus(onWay, other.most.tokens())
		if other.agent == h.agent {
			own = plus(own, other.most.tokens())
		}
		if l.limits.draws(other.model) {
			drawn = plus(drawn, l.limits.weights().most(other.most))
		}
	}
	more, of := h.most.tokens(), l.limits.Agents[h.agent]
	switch {
	case of != 0 && plus(own, more) > of:
		return &Refusal{Budget: OfAgent, Limit: of, Used: own, Until: l.counts.day.to}
	case l.limits.Day != 0 && plus(onWay, more) > l.limits.Day:
		return &Refusal{Budget: OfTeam, Limit: l.limits.Day, Used: onWay, Until: l.counts.day.to}
	case !l.limits.draws(h.model) || l.limits.Beyond || plus(drawn, l.limits.weights().most(h.most)) <= l.limits.Pool.Tokens*whole:
		return nil
	}
	return &Refusal{Budget: OfPool, Limit: l.limits.Pool.Tokens, Used: drawn / whole, Until: l.counts.pool.to}
}

// plus adds what is not negative, and stays at the largest number instead of beginning anew below nothing.
func plus(a, b int64) int64 {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}
