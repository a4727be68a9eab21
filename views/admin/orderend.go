package admin

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// Alerts are the orders that need one of our staff; Total counts also those that are not shown.
type Alerts struct {
	Items []Alert
	Total int
}

// Alert is one of them: it takes longer than was promised, or failed.
type Alert struct {
	Order
	Late bool
}

// AlertsPath lists the orders that need one of our staff.
const AlertsPath = OrdersPath + "/alerts"

// OrderLogPath is the log of an order as a file.
func OrderLogPath(id string) string { return OrderPath(id) + "/log" }

var endReasons = map[string]i18n.Key{
	"closed": "admin.end.closed", "refunded": "admin.end.refunded", "unpaid": "admin.end.unpaid", "replaced": "admin.end.replaced",
}

var standings = map[string]i18n.Key{"next": "admin.order.standing_next", "former": "admin.order.standing_former"}

// What is asked before something is done that is not taken back easily.
var (
	sureWords = map[string]i18n.Key{
		"cancel": "admin.act.sure", "stop": "admin.act.stop_sure", "end": "admin.act.end_sure", "replace": "admin.act.replace_sure",
		"provider": "admin.act.provider_sure",
	}
	sureBodies = map[string]i18n.Key{
		"cancel": "admin.act.sure_body", "stop": "admin.act.stop_body", "end": "admin.act.end_body", "replace": "admin.act.replace_body",
		"provider": "admin.act.provider_body",
	}
)

// ProviderField asks where the server is set up; the usual place may be among the choices.
func ProviderField(ctx context.Context, providers []string, usual bool) *ui.Field {
	f := ui.Field{Name: "provider", Label: i18n.T(ctx, "admin.order.provider"), Kind: "select", Required: true}
	if usual {
		f.Options = append(f.Options, ui.Option{Value: "", Label: i18n.T(ctx, "admin.order.provider_usual")})
		f.Required = false
	}
	for _, p := range providers {
		f.Options = append(f.Options, ui.Option{Value: p, Label: word(ctx, providerWords, p)})
	}
	return &f
}

// ReasonField asks why an order ends.
func ReasonField(ctx context.Context, reasons []string) *ui.Field {
	f := ui.Field{Name: "reason", Label: i18n.T(ctx, "admin.end.why"), Kind: "select", Required: true}
	for _, r := range reasons {
		f.Options = append(f.Options, ui.Option{Value: r, Label: word(ctx, endReasons, r)})
	}
	return &f
}

// Last is the number of the newest line on the page.
func (p OrderPage) Last() int64 {
	if len(p.Lines) == 0 {
		return 0
	}
	return int64(p.Lines[len(p.Lines)-1].N)
}

// older is the address of the lines before those on the page; empty when there are none.
func (p OrderPage) older() string {
	if p.Older == 0 {
		return ""
	}
	q := url.Values{"before": {strconv.FormatInt(p.Older, 10)}}
	if p.Search != "" {
		q.Set("q", p.Search)
	}
	return OrderPath(p.ID) + "?" + q.Encode()
}

// ending are the facts about the end of an order and about what it replaces.
func (p OrderPage) ending(ctx context.Context) (pairs []ui.Pair) {
	if p.EndReason != "" {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "admin.end.because"), Value: word(ctx, endReasons, p.EndReason)},
			ui.Pair{Name: i18n.T(ctx, "admin.end.release"), View: ui.At(p.ReleaseAt)})
	}
	if p.Standing != "" {
		pairs = append(pairs, ui.Pair{Name: i18n.T(ctx, "admin.order.standing"), Value: word(ctx, standings, p.Standing)})
	}
	if p.Replaces != "" {
		pairs = append(
			pairs,
			ui.Pair{
				Name: i18n.T(ctx, "admin.order.replaces"),
				View: ui.Link(OrderPath(p.Replaces), i18n.T(ctx, "admin.order.replaced_order")),
			},
		)
	}
	return pairs
}

// endNotice is what stands on top of an order that is ending: its title and text.
func (p OrderPage) endNotice(ctx context.Context) (title, text string) {
	zone := ui.Of(ctx).Zone
	if zone == nil {
		zone = time.UTC
	}
	return i18n.T(ctx, "admin.end.notice", "day", i18n.Day(ctx, p.ReleaseAt.In(zone))), i18n.T(ctx, "admin.end.notice_text")
}
