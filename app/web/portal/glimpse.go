package portal

import (
	"context"
	"sync"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

// glimpseLife is how long a page believes what was just seen of a server. The stream of the page looks for itself, and
// puts right what has changed meanwhile.
const glimpseLife = 250 * time.Millisecond

// glimpses remembers for a moment how the server of each customer is, so that a burst of pages asks once.
type glimpses struct {
	mu   sync.Mutex
	seen map[account.CustomerID]glimpse
}

// glimpse is how a server was at some time.
type glimpse struct {
	server server.Server
	gone   bool
	at     time.Time
}

// glimpse says how the customer's server is, or was a moment ago.
func (p *Portal) glimpse(ctx context.Context, of account.CustomerID) (glimpse, error) {
	now := p.Now()
	if g, ok := p.glimpses.find(of, now); ok {
		return g, nil
	}
	srv, err := p.serverOf(ctx, of)
	if err != nil {
		return glimpse{}, err
	}
	g := glimpse{server: srv, gone: p.gone(ctx, srv), at: now}
	p.glimpses.keep(of, g)
	return g, nil
}

func (s *glimpses) find(of account.CustomerID, now time.Time) (glimpse, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.seen[of]
	return g, ok && now.Sub(g.at) < glimpseLife
}

func (s *glimpses) keep(of account.CustomerID, g glimpse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil || len(s.seen) >= namesKept {
		s.seen = map[account.CustomerID]glimpse{}
	}
	s.seen[of] = g
}
