package live

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/relay"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/session"
	"gatehouse/views/portal"
)

// Chat asks the customer's server, to find out whether it answers again; chat.Service does.
type Chat interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
}

// Inbox is what waits for the customer; approval.Service has it.
type Inbox interface {
	Pending(ctx context.Context, of account.CustomerID) (int, error)
	Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error)
}

// Notices tell what changes while a page is open; relay.Relay does.
type Notices interface {
	Subscribe(ctx context.Context, customerID string) (*relay.Subscription, error)
}

// Deps are the parts that the stream works with.
type Deps struct {
	Chat    Chat
	Inbox   Inbox
	Notices Notices
	Frames  *frame.Frames
	Agents  *roster.Roster
	Now     func() time.Time
	Log     *slog.Logger
}

// Stream pushes into every open page of the portal what changes on it.
type Stream struct {
	Deps
	topics Topics
}

// New makes a stream without topics.
func New(d Deps) *Stream { return &Stream{Deps: d, topics: Topics{}} }

// Add takes up the topics of a section.
func (s *Stream) Add(topics Topics) { maps.Copy(s.topics, topics) }

// Route is where open pages get their stream.
func (s *Stream) Route() web.Route {
	return web.Route{Method: http.MethodGet, Path: portal.Stream, For: web.Customer, Right: account.Look, Do: s.serve, Stream: true}
}

// serve answers GET /app/stream: everything that changes on one open page. ?on= says what the page shows.
func (s *Stream) serve(c echo.Context) error {
	w, err := web.SSE(c)
	if err != nil {
		return err
	}
	defer w.Close()
	sub, err := s.Notices.Subscribe(w.Context(), string(frame.Customer(c)))
	if err != nil {
		return err
	}
	defer sub.Close()
	p := s.newPage(c, w)
	go p.run(sub)
	defer p.end(w)
	return web.Pump(w, p.out, func(m push) error { return w.Swap(m.id, m.parts...) })
}

// topicOf reads what a page shows; whoever may not see it gets nothing but the menu.
func (s *Stream) topicOf(c echo.Context, lastID string) Topic {
	if t, ok := s.topics[c.QueryParam("on")]; ok && session.Of(c).Rights().May(t.Right) {
		return t.Open(c, lastID)
	}
	return Still{}
}
