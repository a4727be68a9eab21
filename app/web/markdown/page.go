package markdown

import (
	"bytes"
	"regexp"
	"strconv"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// pageEngine reads the texts of Page: headings keep their level, below those of a section.
var pageEngine = goldmark.New(
	goldmark.WithExtensions(
		extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough,
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(pageNodes{}, 90), util.Prioritized(nodes{}, 100))),
)

// ownPath is an address on this site: a path, or a place on the page. What begins with two slashes is another site.
var ownPath = regexp.MustCompile(`^(#[\w-]+|/([\w-][\w./-]*)?(\?[\w=&%.-]*)?(#[\w-]+)?)$`)

// pagePolicy lets through what policy does, and links within this site.
var pagePolicy = func() *bluemonday.Policy {
	p := newTextPolicy()
	p.RequireNoFollowOnFullyQualifiedLinks(true)
	p.RequireNoReferrerOnFullyQualifiedLinks(true)
	p.AllowURLSchemes("tel")
	p.AllowRelativeURLs(true)
	p.AllowAttrs("href").Matching(ownHref).OnElements("a")
	return p
}()

// ownHref is every address that a text of Page may lead to; where others lead is dropped.
var ownHref = regexp.MustCompile(`^(https?://|mailto:|tel:)|` + ownPath.String())

// Page renders a text that we or the operator wrote: sanitised like HTML, but links may lead to pages of this site.
func Page(src string) string {
	if !tame(src) {
		return plain(src)
	}
	var b bytes.Buffer
	if err := pageEngine.Convert([]byte(src), &b); err != nil {
		return plain(src)
	}
	return string(pagePolicy.SanitizeBytes(b.Bytes()))
}

type pageNodes struct{}

// RegisterFuncs tells goldmark which constructs a page renders in its own way.
func (pageNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, pageHeading)
}

// pageHeading keeps a heading below that of its section.
func pageHeading(w util.BufWriter, _ []byte, n ast.Node, enter bool) (ast.WalkStatus, error) {
	h, ok := n.(*ast.Heading)
	if !ok {
		return ast.WalkContinue, nil
	}
	tag := "h" + strconv.Itoa(max(3, h.Level)) + ">"
	if enter {
		_, _ = w.WriteString("<" + tag)
	} else {
		_, _ = w.WriteString("</" + tag + "\n")
	}
	return ast.WalkContinue, nil
}
