package ui

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/a-h/templ"
)

// icons holds every symbol as it was drawn first: a page has hundreds of them, and there are a few dozen in all.
var icons sync.Map // string to string, by name

// Icon draws a symbol of the sprite; it says nothing to screen readers, so words stand beside it. The names are the
// ids in static/sprite.svg without their "i-", and the aliases below.
func Icon(name string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if drawn, ok := icons.Load(name); ok {
			_, err := io.WriteString(w, drawn.(string))
			return err
		}
		var b strings.Builder
		if err := icon(name).Render(ctx, &b); err != nil {
			return err
		}
		icons.Store(name, b.String())
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// aliases let components ask for what a symbol means; the sprite holds each drawing once.
var aliases = map[string]string{
	"back": "arrow", "next": "arrow", "down": "arrow",
	"deny": "cross", "close": "cross",
	"ask": "chat", "scale": "shield", "dots": "more",
	"shield-alert": "alert", "spark": "logo",
	"role-dispatch": "handoff", "role-it": "server", "role-desk": "mail", "role-agent": "person",
}

// symbol is the id of the drawing for name.
func symbol(name string) string {
	if to, ok := aliases[name]; ok {
		name = to
	}
	return "#i-" + name
}
