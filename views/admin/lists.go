package admin

import (
	"context"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// search is the field above a list.
func search(ctx context.Context, value string) *ui.Search {
	return &ui.Search{Label: i18n.T(ctx, "admin.search"), Value: value}
}

// empty is what stands where nothing is: nothing yet, or nothing that fits.
func empty(ctx context.Context, narrowed bool, title, body i18n.Key) ui.Empty {
	if narrowed {
		return ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "admin.none"), Body: i18n.T(ctx, "admin.none_body")}
	}
	return ui.Empty{Kind: "new", Title: i18n.T(ctx, title), Body: i18n.T(ctx, body)}
}

func rowKind(state string) string {
	if k := serverKind(state); k == "warn" || k == "bad" {
		return k
	}
	return ""
}

func pager(first, next string) ui.Pager { return ui.Pager{Prev: first, Next: next} }
