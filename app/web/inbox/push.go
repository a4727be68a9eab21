package inbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/a-h/templ"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/web/inbox/card"

	views "gatehouse/views/inbox"
)

// Push brings one card up to date on an open page; into a list, one that waits is added.
func (h *Inbox) Push(ctx context.Context, it approval.Item, list bool) templ.Component {
	p := h.card(ctx, it, nil)
	p.Alone = !list
	return views.PushCard(p, list)
}

// PushEdit tells the page on which a person changes the arguments whether they can still run.
func (h *Inbox) PushEdit(ctx context.Context, it approval.Item) templ.Component {
	return views.PushEdit(views.EditProps{Card: card.OfItem(ctx, it, h.look(ctx, it.CustomerID, nil)), Over: overOf(ctx, it)})
}

// PushList brings a whole list up to date.
func (h *Inbox) PushList(ctx context.Context, items []approval.Item, f Filter) templ.Component {
	Soonest(items)
	return views.PushList(h.listProps(ctx, items, f, nil))
}

// Mark names what a list shows, so that a page which shows it already is not sent it again.
func Mark(items []approval.Item, f Filter) string {
	faces := map[string]string{}
	for _, it := range items {
		if f.Fits(it) {
			faces[it.ID] = Face(it)
		}
	}
	return MarkOf(faces)
}

// MarkOne names what the page of an approval shows while it waits; any that was decided goes by one name.
func MarkOne(it approval.Item) string {
	if it.State != wire.ApprovalPending {
		return "decided"
	}
	return MarkOf(map[string]string{it.ID: Face(it)})
}

// Face is what may change of a card while its approval waits: that an answer was taken back, and why.
func Face(it approval.Item) string { return it.Digest + " " + it.Refused }

// MarkOf names approvals, by id, and the face of each.
func MarkOf(faces map[string]string) string {
	h := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(faces)) {
		fmt.Fprintf(h, "%s %q\n", id, faces[id])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
