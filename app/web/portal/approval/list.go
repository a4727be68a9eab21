package approval

import (
	"cmp"
	"context"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
)

// listTopic is the list of what waits.
type listTopic struct {
	*Pages
	of     account.CustomerID
	filter inbox.Filter
	shown  string            // mark of the list on the page
	known  map[string]string // approvals that wait, as far as the page shows them, and the face of each
	fresh  []string          // that notices named since the last look
	behind bool              // the whole list is to be looked at
}

// openList reads which list a page shows.
func (p *Pages) openList(c echo.Context, lastID string) live.Topic {
	return &listTopic{
		Pages: p, of: frame.Customer(c), filter: inbox.Filter{Tier: c.QueryParam("tier"), Agent: c.QueryParam("agent")},
		shown: cmp.Or(lastID, c.QueryParam("at")), known: map[string]string{},
	}
}

// Start lets the next flush look at all of it.
func (t *listTopic) Start(*live.Page) { t.behind = true }

// Notice takes in that an approval changed.
func (t *listTopic) Notice(_ context.Context, n relay.Notice) bool {
	if n.Kind == relay.KindApproval {
		t.fresh = append(t.fresh, n.ID)
	}
	return n.Kind == relay.KindApproval
}

// Flush gives what the page does not show yet.
func (t *listTopic) Flush(ctx context.Context) ([]templ.Component, error) {
	if t.behind {
		return t.catchUp(ctx)
	}
	var out []templ.Component
	for _, id := range t.fresh {
		it, err := t.Inbox.Get(ctx, t.of, id)
		if err != nil {
			return out, err
		}
		t.fresh = t.fresh[1:]
		if it.State == wire.ApprovalPending && !t.filter.Fits(it) {
			continue
		}
		t.note(it)
		out = append(out, t.inbox.Push(ctx, it, true))
	}
	return out, nil
}

// catchUp sends the list unless the page shows it already.
func (t *listTopic) catchUp(ctx context.Context) ([]templ.Component, error) {
	got, err := t.Inbox.List(ctx, t.of, approval.Query{Status: "pending", Page: page.Ask{Limit: page.MaxLimit}})
	if err != nil {
		return nil, err
	}
	t.behind, t.fresh, t.known = false, nil, map[string]string{}
	for _, it := range got.Items {
		if t.filter.Fits(it) {
			t.known[it.ID] = inbox.Face(it)
		}
	}
	was := t.shown
	if t.shown = inbox.MarkOf(t.known); t.shown == was {
		return nil, nil
	}
	return []templ.Component{t.inbox.PushList(ctx, got.Items, t.filter)}, nil
}

func (t *listTopic) note(it approval.Item) {
	if it.State == wire.ApprovalPending {
		t.known[it.ID] = inbox.Face(it)
	} else {
		delete(t.known, it.ID)
	}
	t.shown = inbox.MarkOf(t.known)
}

// Mark names what the page shows.
func (t *listTopic) Mark() string { return t.shown }
