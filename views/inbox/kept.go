package inbox

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// keptCards bounds the memory for cards that were drawn before: some 5 KB each.
const keptCards = 4096

// keepFor is how long a card may stay in memory: what an approval asks is not kept longer than people need it.
const keepFor = time.Minute

// kept holds cards of the inbox that wait. Nothing of an approval changes while it waits, so a card that was drawn for
// a page of the same sign-in looks the same until its time left, in words, is another.
var kept = drawings{known: map[drawing]string{}}

type drawings struct {
	mu    sync.Mutex
	known map[drawing]string
}

// drawing is everything that a waiting card in a list depends on: the approval by id and digest, and what the page
// around it adds.
type drawing struct {
	id, digest, base   string
	agent              ui.Agent
	mode               ui.Mode
	csrf, locale       string
	deadline, timeLeft string
}

// drawingOf names the card, if it is one that may be kept.
func drawingOf(ctx context.Context, p CardProps, mode ui.Mode) (drawing, bool) {
	if !p.Pending() || p.Staff || p.Alone || p.Focus || p.Conflict != "" || p.Digest == "" {
		return drawing{}, false
	}
	return drawing{
		id: p.ID, digest: p.Digest, base: p.Base, agent: p.Agent, mode: mode, csrf: ui.Of(ctx).CSRF, locale: i18n.LocaleOf(ctx),
		deadline: ui.Deadline(ctx, p.Expires), timeLeft: ui.Relative(ctx, p.Expires),
	}, true
}

// Card is one approval: in the inbox, on its own page, in a conversation, and what a decision swaps in.
func Card(p CardProps, mode ui.Mode) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		name, may := drawingOf(ctx, p, mode)
		if !may {
			return card(p, mode).Render(ctx, w)
		}
		if drawn, ok := kept.get(name); ok {
			_, err := io.WriteString(w, drawn)
			return err
		}
		var b bytes.Buffer
		if err := card(p, mode).Render(ctx, &b); err != nil {
			return err
		}
		kept.put(name, b.String())
		_, err := w.Write(b.Bytes())
		return err
	})
}

func (d *drawings) get(name drawing) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.known[name]
	return s, ok
}

// put keeps a card. When there are too many, all are forgotten: they are drawn anew where they are looked at.
func (d *drawings) put(name drawing, s string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch len(d.known) {
	case 0:
		time.AfterFunc(keepFor, d.forget)
	case keptCards:
		clear(d.known)
	}
	d.known[name] = s
}

func (d *drawings) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.known)
}
