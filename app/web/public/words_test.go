package public_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// content is what stands on pages and is no word of the interface: names, addresses, figures, ids, what an app is told.
var content = regexp.MustCompile(`^(Gatehouse|English|Deutsch|Lite|Build|Scale|Enterprise|The Bakery|The owner|file_delete|path|shop\.api_key|tmp/\*\.tmp|IA|FD|S|[^\pL]*|.*@example\.com|\d+ (s|min|h|d)|[\d.]+ MB|\d+ \w+ \d{4}, [\d:]+ UTC|[0-9a-f-]{36}|([A-Z2-7]{4} ){7}[A-Z2-7]{4})$`)

// TestPages_haveNoWordsOfTheirOwn loads every page in the pseudo-locale: a text without its marks was written past the
// catalogue.
func TestPages_haveNoWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	h := start(t)
	pages := h.looks(t)
	if _, err := h.db.Pool.Exec(t.Context(), "UPDATE users SET locale = ''"); err != nil { // the browser says the language
		t.Fatal(err)
	}
	for _, l := range pages {
		if l.name == "missing" || strings.HasPrefix(l.name, "help") {
			continue // the text of a fault comes with the fault, articles have languages of their own
		}
		b := l.as
		if b == nil {
			b = h.browser(t)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+l.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Language", "en-XA")
		doc := b.send(r).doc(t)
		doc.Find("script, style, noscript").Remove()
		for _, n := range doc.Find("body").Nodes {
			bare(t, l.name, n)
		}
	}
}

func bare(t *testing.T, page string, n *html.Node) {
	t.Helper()
	text := strings.TrimSpace(n.Data)
	if n.Type == html.TextNode && text != "" && !strings.Contains(text, "⟦") && !content.MatchString(text) {
		t.Errorf("%s: %q stands outside the catalogue", page, text)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		bare(t, page, c)
	}
}
