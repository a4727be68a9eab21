package approval

import (
	"cmp"
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/relay"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
)

// cardTopic is the page of one approval, or the one on which its arguments are changed.
type cardTopic struct {
	*Pages
	of     account.CustomerID
	id     string
	edit   bool
	shown  string // mark of the card on the page
	behind bool   // the page was loaded a moment ago, or left for a while
	stale  bool
}

// openCard reads which approval a page shows.
func (p *Pages) openCard(c echo.Context, lastID string) live.Topic {
	return &cardTopic{Pages: p, of: frame.Customer(c), id: c.QueryParam("id"), shown: cmp.Or(lastID, c.QueryParam("at"))}
}

// openEdit reads of which approval a page changes the arguments.
func (p *Pages) openEdit(c echo.Context, _ string) live.Topic {
	return &cardTopic{Pages: p, of: frame.Customer(c), id: c.QueryParam("id"), edit: true}
}

// Start lets the next flush look at all of it.
func (t *cardTopic) Start(*live.Page) { t.behind = true }

// Notice takes in that an approval changed.
func (t *cardTopic) Notice(_ context.Context, n relay.Notice) bool {
	mine := n.Kind == relay.KindApproval && n.ID == t.id
	t.stale = t.stale || mine
	return mine
}

// Flush sends the card unless the page shows it already: what the page says beside a button, such as why nothing was
// decided, goes when the card is drawn again.
func (t *cardTopic) Flush(ctx context.Context) ([]templ.Component, error) {
	if !t.behind && !t.stale {
		return nil, nil
	}
	it, err := t.Inbox.Get(ctx, t.of, t.id)
	if err != nil {
		return nil, err
	}
	was, noticed := t.shown, t.stale
	t.behind, t.stale, t.shown = false, false, inbox.MarkOne(it)
	switch {
	case t.edit:
		return []templ.Component{t.inbox.PushEdit(ctx, it)}, nil
	case it.State == wire.ApprovalPending && t.shown == was && !noticed:
		return nil, nil
	}
	return []templ.Component{t.inbox.Push(ctx, it, false)}, nil
}

// Mark names what the page shows.
func (t *cardTopic) Mark() string { return t.shown }
