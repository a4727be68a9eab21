package portal

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

// glimpseLife is how long a page believes what was just seen of a server. The stream of the page looks for itself, and
// puts right what has changed meanwhile.
const glimpseLife = 250 * time.Millisecond

// glimpse is how a server was at some time.
type glimpse struct {
	server server.Server
	gone   bool
}

// glimpse says how the customer's server is, or was a moment ago, so that a burst of pages asks once.
func (p *Portal) glimpse(ctx context.Context, of account.CustomerID) (glimpse, error) {
	return p.glimpses.Read(of, glimpseLife, p.Now(), func() (glimpse, error) {
		srv, err := p.serverOf(ctx, of)
		if err != nil {
			return glimpse{}, err
		}
		return glimpse{server: srv, gone: p.gone(ctx, srv)}, nil
	})
}
