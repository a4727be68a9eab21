package markdown

import (
	"bytes"
	"html"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

var engine = goldmark.New(
	goldmark.WithExtensions(
		extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"})),
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough,
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 100))),
)

// HTML renders one block of Markdown. The result holds no script, style, image, form, id or event attribute,
// whatever src says; links are nofollow and name the host they lead to.
func HTML(src string) string {
	if !tame(src) {
		return plain(src)
	}
	var b bytes.Buffer
	if err := engine.Convert([]byte(src), &b); err != nil {
		return plain(src)
	}
	return string(policy.SanitizeBytes(b.Bytes()))
}

// Document renders a whole text, block by block, exactly as a Splitter would have delivered it.
func Document(src string) string {
	done, tail := Split(src)
	var b bytes.Buffer
	for _, block := range done {
		b.WriteString(HTML(block))
	}
	b.WriteString(HTML(tail))
	return b.String()
}

func plain(src string) string {
	return `<pre tabindex="0"><code>` + html.EscapeString(src) + "</code></pre>\n"
}
