package frame

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// statusLife is how long a page believes the last status of a server. The stream of the page looks for itself and
// corrects what has changed meanwhile.
const statusLife = 250 * time.Millisecond

// status is how a server was at some time.
type status struct {
	server server.Server
	away   bool
}

// status says how the customer's server is, or was a moment ago, so that a burst of pages asks once.
func (f *Frames) status(ctx context.Context, of account.CustomerID) (status, error) {
	return f.statuses.Read(of, statusLife, f.Now(), func() (status, error) {
		srv, err := f.Server(ctx, of)
		if err != nil {
			return status{}, err
		}
		return status{server: srv, away: f.Unlinked(ctx, srv)}, nil
	})
}

// Server finds the customer's server; a customer whose server is still being set up has an empty one.
func (f *Frames) Server(ctx context.Context, of account.CustomerID) (server.Server, error) {
	srv, err := f.Servers.Of(ctx, of)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return server.Server{}, nil
	}
	return srv, err
}

// Unlinked reports whether a server that was there once cannot be asked now.
func (f *Frames) Unlinked(ctx context.Context, s server.Server) bool {
	return s.Registered() && !f.Links.Linked(ctx, string(s.ID))
}

// Offline says what still works while the server is away, and what waits for it. page is where the reader is.
func Offline(ctx context.Context, s server.Server, page string) *ui.Offline {
	return &ui.Offline{
		Since: s.BeatAt, Reload: page,
		Works: []string{i18n.T(ctx, "portal.away.works_approvals")},
		Waits: []string{i18n.T(ctx, "portal.away.waits_messages"), i18n.T(ctx, "portal.away.waits_decisions")},
	}
}
