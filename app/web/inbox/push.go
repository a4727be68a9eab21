package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"gatehouse/app/approval"

	views "gatehouse/views/inbox"
)

// Push brings one card up to date on an open page; into a list, one that waits is added.
func (h *Inbox) Push(ctx context.Context, it approval.Item, list bool) templ.Component {
	p := h.card(ctx, it)
	p.Alone = !list
	return views.PushCard(p, list)
}

// PushList brings a whole list up to date.
func (h *Inbox) PushList(items []approval.Item, f Filter) templ.Component {
	Soonest(items)
	return views.PushList(h.listProps(items, f))
}

// Mark names what a list shows, so that a page which shows it already is not sent it again.
func Mark(items []approval.Item, f Filter) string {
	ids := map[string]bool{}
	for _, it := range items {
		if f.Fits(it) {
			ids[it.ID] = true
		}
	}
	return MarkOf(ids)
}

// MarkOf names a set of approvals.
func MarkOf(ids map[string]bool) string {
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(maps.Keys(ids)), " ")))
	return hex.EncodeToString(sum[:8])
}
