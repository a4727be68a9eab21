package inbox

import (
	"bytes"
	"context"
	"io"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// kept holds cards of the inbox that wait: one that was drawn for a page of the same sign-in looks the same until its
// time left, in words, is another.
var kept Memory[drawing, string]

// drawing is everything that a waiting card in a list depends on: the approval by id and digest, and what the page
// around it adds.
type drawing struct {
	id, digest, base   string
	agent              ui.Agent
	mode               ui.Mode
	csrf, locale       string
	lacks              ui.Lacks
	deadline, timeLeft string
}

// drawingOf names the card, if it is one that may be kept.
func drawingOf(ctx context.Context, p CardProps, mode ui.Mode) (drawing, bool) {
	if !p.Pending() || p.Staff || p.Alone || p.Focus || p.Unlike || p.Conflict != "" || p.Digest == "" {
		return drawing{}, false
	}
	return drawing{
		id: p.ID, digest: p.Digest, base: p.Base, agent: p.Agent, mode: mode, csrf: ui.Of(ctx).CSRF,
		lacks: ui.Of(ctx).Lacks, locale: i18n.LocaleOf(ctx),
		deadline: ui.Deadline(ctx, p.Expires), timeLeft: ui.Relative(ctx, p.Expires),
	}, true
}

// Remembered gives a card as it was drawn for this reader a moment ago. It needs nothing of what the approval asks.
func Remembered(ctx context.Context, p CardProps, mode ui.Mode) (string, bool) {
	name, may := drawingOf(ctx, p, mode)
	if !may {
		return "", false
	}
	return kept.Get(name)
}

// Card is one approval: in the inbox, on its own page, in a conversation, and what a decision swaps in.
func Card(p CardProps, mode ui.Mode) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if p.Drawn != "" {
			_, err := io.WriteString(w, p.Drawn)
			return err
		}
		name, may := drawingOf(ctx, p, mode)
		if !may {
			return card(p, mode).Render(ctx, w)
		}
		if drawn, ok := kept.Get(name); ok {
			_, err := io.WriteString(w, drawn)
			return err
		}
		var b bytes.Buffer
		if err := card(p, mode).Render(ctx, &b); err != nil {
			return err
		}
		kept.Put(name, b.String())
		_, err := w.Write(b.Bytes())
		return err
	})
}
