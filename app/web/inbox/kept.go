package inbox

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"gatehouse/app/approval"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/inbox"
)

// keptCards bounds how many drawn cards are kept; forgetting them costs drawing them again.
const keptCards = 4096

// kept remembers how cards that wait look, so that a long inbox is not drawn anew for every reader and reload. A card
// depends on nothing but its key: the digest binds everything that is shown, and a changed approval has another.
type kept struct {
	mu    sync.Mutex
	cards map[cardKey]string
}

// cardKey is everything that a waiting card depends on.
type cardKey struct {
	id, digest, agent, csrf, locale, zone string
	now                                   int64 // to the minute: the card says how long is left
}

// drawn is the card of an approval that waits, as a component.
func (h *Inbox) drawn(it approval.Item) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		html, err := h.kept.card(ctx, it, h.look(it.CustomerID))
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, html)
		return err
	})
}

func (k *kept) card(ctx context.Context, it approval.Item, look card.Look) (string, error) {
	r := ui.Of(ctx)
	key := cardKey{
		id: it.ID, digest: it.Digest, agent: look.Agent(it.Agent).Name, csrf: r.CSRF, locale: i18n.LocaleOf(ctx), zone: r.Zone.String(),
		now: r.Now.Truncate(time.Minute).Unix(),
	}
	if html, ok := k.find(key); ok {
		return html, nil
	}
	var b strings.Builder
	if err := views.Card(card.OfItem(it, look), ui.Full).Render(ctx, &b); err != nil {
		return "", err
	}
	k.keep(key, b.String())
	return b.String(), nil
}

func (k *kept) find(key cardKey) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	html, ok := k.cards[key]
	return html, ok
}

func (k *kept) keep(key cardKey, html string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cards == nil || len(k.cards) >= keptCards {
		k.cards = map[cardKey]string{}
	}
	k.cards[key] = html
}
