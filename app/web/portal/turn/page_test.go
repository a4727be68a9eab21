package turn

import (
	"context"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"gatehouse/agentd/wire"
	"gatehouse/views/ui"
	"gatehouse/views/ui/hx"
)

var t0 = time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC)

const (
	rootRun  = "01939b5e-0000-7000-8000-000000000001"
	childRun = "01939b5e-0000-7000-8000-000000000002"
	session  = "01939b5e-0000-7000-8000-0000000000aa"
)

func names(id string) ui.Agent { return ui.Agent{ID: id, Name: strings.ToUpper(id)} }

// tb is what tests and property checks have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

func pageContext() context.Context {
	return ui.With(context.Background(), ui.Request{CSRF: "token", Now: t0.Add(time.Minute)})
}

// page is a browser's page with one answer on it, as htmx keeps it.
type page struct {
	t    tb
	body *html.Node
	have int64 // id of the last message applied
	sent int   // messages applied
}

// newPage is the page as a POST answers it: an empty bubble.
func newPage(t tb) *page {
	t.Helper()
	p := &page{t: t, body: &html.Node{Type: html.ElementNode, Data: "ol", DataAtom: atom.Ol}}
	p.append(p.body, New(rootRun, "dispatcher", t0, 0).markup(t))
	return p
}

// markup is the whole bubble as HTML.
func (t *Turn) markup(tb tb) string {
	tb.Helper()
	var b strings.Builder
	ctx := pageContext()
	if err := ui.ChatTurn(t.Look(ctx, names)).Render(ctx, &b); err != nil {
		tb.Fatalf("render: %v", err)
	}
	return b.String()
}

// receive applies one message of the stream: all targets are found before anything is changed.
func (p *page) receive(n int64, patches []Patch) {
	p.t.Helper()
	targets := make([]*html.Node, len(patches))
	for i, c := range patches {
		targets[i] = find(p.body, strings.TrimPrefix(c.Target, "#"))
	}
	for i, c := range patches {
		if targets[i] == nil {
			p.t.Fatalf("patch %s goes nowhere", c.Target)
		}
		p.apply(targets[i], c)
	}
	p.have = n
	p.sent++
}

func (p *page) apply(at *html.Node, c Patch) {
	p.t.Helper()
	var b strings.Builder
	if err := c.View.Render(pageContext(), &b); err != nil {
		p.t.Fatalf("render: %v", err)
	}
	if strings.Contains(b.String(), "autofocus") {
		p.t.Fatalf("a pushed fragment takes the focus: %s", b.String())
	}
	switch c.Style {
	case hx.Append:
		p.append(at, b.String())
	case hx.InnerHTML:
		for at.FirstChild != nil {
			at.RemoveChild(at.FirstChild)
		}
		p.append(at, b.String())
	case hx.OuterHTML, hx.OuterMorph:
		p.replace(at, b.String(), c.Style == hx.OuterMorph)
	default:
		p.t.Fatalf("style %s is not known here", c.Style)
	}
}

func (p *page) append(at *html.Node, markup string) {
	p.t.Helper()
	for _, n := range p.parse(at, markup) {
		at.AppendChild(n)
	}
}

// replace puts markup in the place of at. A morph leaves panels as they stand open.
func (p *page) replace(at *html.Node, markup string, morph bool) {
	p.t.Helper()
	open := map[string]bool{}
	walk(at, func(n *html.Node) {
		if n.Data == "details" {
			open[attr(n, "id")] = has(n, "open")
		}
	})
	for _, n := range p.parse(at.Parent, markup) {
		if morph {
			walk(n, func(n *html.Node) {
				if was, known := open[attr(n, "id")]; n.Data == "details" && known && attr(n, "id") != "" {
					setOpen(n, was)
				}
			})
		}
		at.Parent.InsertBefore(n, at)
	}
	at.Parent.RemoveChild(at)
}

func (p *page) parse(in *html.Node, markup string) []*html.Node {
	p.t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(markup), &html.Node{Type: html.ElementNode, Data: in.Data, DataAtom: in.DataAtom})
	if err != nil {
		p.t.Fatalf("parse: %v", err)
	}
	return nodes
}

// dom is what the page shows, for comparison.
func (p *page) dom() string { return dump(p.body) }

func dump(n *html.Node) string {
	var b strings.Builder
	_ = html.Render(&b, n)
	return b.String()
}

func walk(n *html.Node, do func(*html.Node)) {
	if n.Type == html.ElementNode {
		do(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, do)
	}
}

func find(n *html.Node, id string) (found *html.Node) {
	walk(n, func(n *html.Node) {
		if found == nil && attr(n, "id") == id {
			found = n
		}
	})
	return found
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

func setOpen(n *html.Node, open bool) {
	attrs := n.Attr[:0:0]
	at := 0
	for i, a := range n.Attr {
		if a.Key != "open" {
			attrs = append(attrs, a)
		} else {
			at = i
		}
	}
	if open {
		attrs = append(attrs[:min(at, len(attrs)):min(at, len(attrs))], append([]html.Attribute{{Key: "open"}}, attrs[min(at, len(attrs)):]...)...)
	}
	n.Attr = attrs
}

// undisturbed is the page after all events, each pushed at once.
func undisturbed(t tb, events []wire.RunEvent) *page {
	t.Helper()
	p := newPage(t)
	turn := New(rootRun, "dispatcher", t0, 0)
	for _, ev := range events {
		turn.Take(ev)
		if patches := turn.Flush(pageContext(), names); len(patches) > 0 {
			p.receive(turn.Last(), patches)
		}
	}
	return p
}

var _ tb = (*testing.T)(nil)
