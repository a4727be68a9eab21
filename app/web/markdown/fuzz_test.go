package markdown

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// allowed is everything that may stand on a page, element by element.
var allowed = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "strong": nil, "em": nil, "del": nil, "code": nil, "blockquote": nil, "ul": nil, "li": nil,
	"h3": nil, "h4": nil, "h5": nil, "h6": nil, "table": nil, "thead": nil, "tbody": nil, "tr": nil,
	"pre": {"tabindex"}, "div": {"class", "tabindex"}, "span": {"class"}, "ol": {"start"}, "th": {"align"}, "td": {"align"},
	"a": {"href", "rel", "target"},
}

func FuzzDocument(f *testing.F) {
	for _, s := range []string{
		"# t\n\n- a\n- b\n\n```\nx\n```\n", "<script>x</script>", "![a](http://e.com/x)", "[a](javascript:x)", "[a](data:text/html,x)",
		"<svg/onload=x>", "[a]: http://e.com\n\n[a]", "|a|\n|-|\n|b|", "<hx-partial hx-target='#x'>y</hx-partial>", "<title>x</title>", "\x00<p>", "&lt;script&gt;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > longest {
			t.Skip("longer than any test needs")
		}
		var out string
		if took := used(t, func() { out = Document(src) }); took > 2*time.Second && took > 50*ordinary(t) {
			t.Fatalf("%d bytes took %s", len(src), took)
		}
		nodes, err := html.ParseFragment(strings.NewReader(out), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
		if err != nil {
			t.Fatalf("result does not parse: %v", err)
		}
		for _, n := range nodes {
			wantSafe(t, n)
		}
		if strings.Contains(strings.ToLower(out), "<hx-") {
			t.Fatalf("htmx would read %q", out)
		}
	})
}

// longest is the size of the longest text that is tried.
const longest = 1 << 16

// ordinary is the processor time of the longest text when nothing in it is hostile: some 40 ms, more on a slow machine.
func ordinary(t *testing.T) time.Duration {
	t.Helper()
	const block = "word *a* [b](http://e.com)\n\n"
	return used(t, func() { Document(strings.Repeat(block, longest/len(block))) })
}

func wantSafe(t *testing.T, n *html.Node) {
	t.Helper()
	if n.Type == html.ElementNode {
		attrs, ok := allowed[n.Data]
		if !ok {
			t.Fatalf("element %s", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(attrs, a.Key) {
				t.Fatalf("attribute %s on %s", a.Key, n.Data)
			}
			if a.Key == "href" {
				wantOutside(t, a.Val)
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		wantSafe(t, c)
	}
}

func wantOutside(t *testing.T, href string) {
	t.Helper()
	u, err := url.Parse(href)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(u.Scheme)) {
		t.Fatalf("link to %q", href)
	}
}
