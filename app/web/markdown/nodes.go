package markdown

import (
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// nodes renders the constructs whose usual form would be unsafe, unreachable by keyboard or out of place in a page.
type nodes struct{}

// RegisterFuncs tells goldmark which constructs are rendered here.
func (nodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(extast.KindTable, table)
}

// htmlBlock shows HTML as the text it is.
func htmlBlock(w util.BufWriter, src []byte, n ast.Node, enter bool) (ast.WalkStatus, error) {
	if !enter {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<p>")
	writeLines(w, src, n)
	if b, ok := n.(*ast.HTMLBlock); ok && b.HasClosure() {
		_, _ = w.WriteString(html.EscapeString(string(b.ClosureLine.Value(src))))
	}
	_, _ = w.WriteString("</p>\n")
	return ast.WalkContinue, nil
}

func rawHTML(w util.BufWriter, src []byte, n ast.Node, enter bool) (ast.WalkStatus, error) {
	if raw, ok := n.(*ast.RawHTML); ok && enter {
		for i := range raw.Segments.Len() {
			s := raw.Segments.At(i)
			_, _ = w.WriteString(html.EscapeString(string(s.Value(src))))
		}
	}
	return ast.WalkSkipChildren, nil
}

// image shows the alternative text only: fetching a picture would tell its host what was read, and when.
func image(w util.BufWriter, _ []byte, _ ast.Node, enter bool) (ast.WalkStatus, error) {
	if enter {
		_, _ = w.WriteString("[")
	} else {
		_, _ = w.WriteString("]")
	}
	return ast.WalkContinue, nil
}

// link names the host a link leads to unless its text already does.
func link(w util.BufWriter, src []byte, n ast.Node, enter bool) (ast.WalkStatus, error) {
	l, ok := n.(*ast.Link)
	if !ok {
		return ast.WalkContinue, nil
	}
	dest := string(l.Destination)
	if enter {
		_, _ = w.WriteString(`<a href="` + html.EscapeString(dest) + `">`)
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("</a>")
	if host := hostOf(dest); host != "" && !strings.Contains(plainText(n, src), host) {
		_, _ = w.WriteString(` <span class="host">(` + html.EscapeString(host) + ")</span>")
	}
	return ast.WalkContinue, nil
}

func hostOf(dest string) string {
	u, err := url.Parse(dest)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.Host
}

func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, enter bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && enter {
			b.Write(t.Segment.Value(src))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// heading keeps an answer below the headings of the page around it.
func heading(w util.BufWriter, _ []byte, n ast.Node, enter bool) (ast.WalkStatus, error) {
	h, ok := n.(*ast.Heading)
	if !ok {
		return ast.WalkContinue, nil
	}
	tag := "h" + strconv.Itoa(min(h.Level+2, 6)) + ">"
	if enter {
		_, _ = w.WriteString("<" + tag)
	} else {
		_, _ = w.WriteString("</" + tag + "\n")
	}
	return ast.WalkContinue, nil
}

// code can be reached and scrolled by keyboard.
func code(w util.BufWriter, src []byte, n ast.Node, enter bool) (ast.WalkStatus, error) {
	if !enter {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<pre tabindex="0"><code>`)
	writeLines(w, src, n)
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

// table scrolls inside itself, so that the page never does.
func table(w util.BufWriter, _ []byte, _ ast.Node, enter bool) (ast.WalkStatus, error) {
	if enter {
		_, _ = w.WriteString("<div class=\"scroll\" tabindex=\"0\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func writeLines(w util.BufWriter, src []byte, n ast.Node) {
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		_, _ = w.WriteString(html.EscapeString(string(s.Value(src))))
	}
}
