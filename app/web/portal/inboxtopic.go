package portal

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
)

// inboxTopic is the list of what waits.
type inboxTopic struct {
	noFollow
	p      *Portal
	of     account.CustomerID
	filter inbox.Filter
	shown  string            // mark of the list on the page
	known  map[string]string // approvals that wait, as far as the page shows them, and the face of each
	fresh  []string          // told of since the last look
	behind bool              // the whole list is to be looked at
}

// noFollow is the part of a topic that follows no runs.
type noFollow struct{}

func (noFollow) event(runEvent) {}

func newInboxTopic(p *Portal, c echo.Context, of account.CustomerID, lastID string) topic {
	return &inboxTopic{
		p: p, of: of, filter: inbox.Filter{Tier: c.QueryParam("tier"), Agent: c.QueryParam("agent")},
		shown: cmp.Or(lastID, c.QueryParam("at")), known: map[string]string{},
	}
}

func (t *inboxTopic) start(*feed) { t.behind = true }

func (t *inboxTopic) notice(_ context.Context, n relay.Notice) bool {
	if n.Kind == relay.KindApproval {
		t.fresh = append(t.fresh, n.ID)
	}
	return n.Kind == relay.KindApproval
}

func (t *inboxTopic) flush(ctx context.Context) ([]templ.Component, error) {
	if t.behind {
		return t.catchUp(ctx)
	}
	var out []templ.Component
	for _, id := range t.fresh {
		it, err := t.p.Inbox.Get(ctx, t.of, id)
		if err != nil {
			return out, err
		}
		t.fresh = t.fresh[1:]
		if it.State == wire.ApprovalPending && !t.filter.Fits(it) {
			continue
		}
		t.note(it)
		out = append(out, t.p.inbox.Push(ctx, it, true))
	}
	return out, nil
}

// catchUp sends the list unless the page shows it already.
func (t *inboxTopic) catchUp(ctx context.Context) ([]templ.Component, error) {
	got, err := t.p.Inbox.List(ctx, t.of, approval.Query{Status: "pending", Page: page.Ask{Limit: page.MaxLimit}})
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
	return []templ.Component{t.p.inbox.PushList(got.Items, t.filter)}, nil
}

func (t *inboxTopic) note(it approval.Item) {
	if it.State == wire.ApprovalPending {
		t.known[it.ID] = inbox.Face(it)
	} else {
		delete(t.known, it.ID)
	}
	t.shown = inbox.MarkOf(t.known)
}

func (t *inboxTopic) mark() string { return t.shown }

// cardTopic is the page of one approval, or the one on which its arguments are changed.
type cardTopic struct {
	noFollow
	p      *Portal
	of     account.CustomerID
	id     string
	edit   bool
	shown  string // mark of the card on the page
	behind bool   // the page was loaded a moment ago, or left for a while
	stale  bool
}

func (t *cardTopic) start(*feed) { t.behind = true }

func (t *cardTopic) notice(_ context.Context, n relay.Notice) bool {
	mine := n.Kind == relay.KindApproval && n.ID == t.id
	t.stale = t.stale || mine
	return mine
}

// flush sends the card, unless the page shows it already: what the page says beside a button, as why nothing was decided,
// goes when the card is drawn anew.
func (t *cardTopic) flush(ctx context.Context) ([]templ.Component, error) {
	if !t.behind && !t.stale {
		return nil, nil
	}
	it, err := t.p.Inbox.Get(ctx, t.of, t.id)
	if err != nil {
		return nil, err
	}
	was, told := t.shown, t.stale
	t.behind, t.stale, t.shown = false, false, inbox.MarkOne(it)
	switch {
	case t.edit:
		return []templ.Component{t.p.inbox.PushEdit(ctx, it)}, nil
	case it.State == wire.ApprovalPending && t.shown == was && !told:
		return nil, nil
	}
	return []templ.Component{t.p.inbox.Push(ctx, it, false)}, nil
}

func (t *cardTopic) mark() string { return t.shown }
