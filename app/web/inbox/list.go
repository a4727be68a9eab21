package inbox

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/inbox"
)

// list answers GET /app/approvals: what waits, the soonest to expire first.
func (h *Inbox) list(c echo.Context) error {
	f := h.filterOf(c)
	items, props, err := h.waiting(c, f)
	if err != nil {
		return err
	}
	frame, err := h.Frame(c, i18n.T(web.Context(c), "inbox.title"), h.streamOf(f.Topic()+"&at="+Mark(items, f)))
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(frame, props))
}

// Filter narrows the inbox.
type Filter struct {
	Tier, Agent string
	Search      string // staff only: what the database looks for
}

func (h *Inbox) filterOf(c echo.Context) Filter {
	f := Filter{Tier: c.QueryParam("tier"), Agent: c.QueryParam("agent")}
	if h.staff() {
		f.Search = strings.TrimSpace(c.QueryParam("q"))
	}
	return f
}

// Fits says whether an approval is shown, among those that the search found.
func (f Filter) Fits(it approval.Item) bool {
	return (f.Tier == "" || f.Tier == it.Tier) && (f.Agent == "" || f.Agent == it.Agent)
}

// Topic names the list in the address of its stream.
func (f Filter) Topic() string {
	return "approvals&tier=" + escape(f.Tier) + "&agent=" + escape(f.Agent) + "&q=" + escape(f.Search)
}

// waiting reads and draws everything that waits. What is asked is read only when a card was not drawn for this reader a
// moment ago; that something waits is read every time.
func (h *Inbox) waiting(c echo.Context, f Filter) ([]approval.Item, views.ListProps, error) {
	if !h.staff() {
		items, err := h.pending(c, f, true)
		if err != nil {
			return nil, views.ListProps{}, err
		}
		if p := h.listProps(web.Context(c), items, f, nil); remembered(web.Context(c), p.Cards) {
			return items, p, nil
		}
	}
	may, err := h.leave(c)
	if err != nil {
		return nil, views.ListProps{}, err
	}
	items, err := h.pending(c, f, false)
	return items, h.listProps(web.Context(c), items, f, may), err
}

// remembered fills in cards that were drawn before; false when one was not.
func remembered(ctx context.Context, cards []views.CardProps) bool {
	for i := range cards {
		drawn, ok := views.Remembered(ctx, cards[i], ui.Full)
		if !ok {
			return false
		}
		cards[i].Drawn = drawn
	}
	return true
}

// pending reads everything that waits: there is never much of it, for an agent may have only so many open.
func (h *Inbox) pending(c echo.Context, f Filter, bare bool) ([]approval.Item, error) {
	got, err := h.query(c, approval.Query{Status: "pending", Bare: bare, Page: page.Ask{Limit: page.MaxLimit, Search: f.Search}})
	if err != nil {
		return nil, err
	}
	Soonest(got.Items)
	return got.Items, nil
}

// Soonest puts first what runs out first.
func Soonest(items []approval.Item) {
	slices.SortStableFunc(items, func(a, b approval.Item) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
}

func (h *Inbox) listProps(ctx context.Context, items []approval.Item, f Filter, may leave) views.ListProps {
	p := views.ListProps{Base: h.Base, Staff: h.staff(), Tier: f.Tier, Agent: f.Agent, Search: f.Search, Total: len(items), More: len(items) >= page.MaxLimit, Cards: make([]views.CardProps, 0, len(items))}
	for _, it := range items {
		p.Tiers = add(p.Tiers, it.Tier, it.Tier)
		p.Agents = add(p.Agents, it.Agent, h.Agent(ctx, it.CustomerID, it.Agent).Name)
		if f.Fits(it) {
			p.Cards = append(p.Cards, card.OfItem(ctx, it, h.look(ctx, it.CustomerID, may)))
		}
	}
	return p
}

// add counts a choice of a filter.
func add(all []views.Choice, value, label string) []views.Choice {
	for i := range all {
		if all[i].Value == value {
			all[i].Count++
			return all
		}
	}
	return append(all, views.Choice{Value: value, Label: label, Count: 1})
}
