package ingress

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"gatehouse/agentd/lazyre"
)

var (
	htmlComment = lazyre.MustCompile(`(?s)<!--(.*?)(?:-->|$)`)
	markComment = lazyre.MustCompile(`(?m)^[ \t]*\[(?://|comment|_|#|\s*)\]:\s*(?:#|<>)\s*(.+)$`)
	codeComment = lazyre.MustCompile(`(?s)/\*(.{12,1000}?)\*/|\{#(.{12,1000}?)#\}|<!\[CDATA\[(.{12,1000}?)\]\]>|%%(.{12,400}?)%%`)
	styleText   = lazyre.MustCompile(`(?i)\bcontent\s*:\s*(?:"([^"\n]{12,1000})"|'([^'\n]{12,1000})')`)
	markCaption = lazyre.MustCompile(`!\[([^\]]{8,1000})\]|\]\([^)\s]*\s+["']([^"'\n]{8,1000})["']\)`)
	hidingStyle = lazyre.MustCompile(`display:none|visibility:(?:hidden|collapse)|opacity:0?\.?0+(?:[;"]|$|\d)|font-size:[01](?:\.\d+)?(?:px|pt|em|rem|%)?(?:[;!]|$)` +
		`|(?:text-indent|left|top|margin-left|right|bottom):-\d{3,}|(?:^|;)(?:max-)?(?:height|width):[01](?:px|pt)?(?:[;!]|$)|clip:rect\(0|clip-path:inset\((?:50|100)%|transform:scale\(0|mso-hide:all` +
		`|(?:^|;)color:transparent|color:rgba\([^)]*,0(?:\.0+)?\)`)
	styleColor  = lazyre.MustCompile(`(?:^|;)color:([^;]+)`)
	styleGround = lazyre.MustCompile(`background(?:-color)?:([^;]+)`)
	whites      = lazyre.MustCompile(`^(?:#fff(?:fff)?|white|rgb\(255,255,255\)|#f[d-f]f[d-f]f[d-f]|snow|ivory|ghostwhite|whitesmoke)$`)
)

// commentKinds are the forms of comments, each with the signs one of which it holds: looking for them is cheap.
var commentKinds = []struct {
	needs []string
	paged bool // hidden only within a page: elsewhere it is code, whose readers see it
	find  *lazyre.Regexp
}{
	{[]string{"<!--"}, false, htmlComment},
	{[]string{"]:"}, false, markComment},
	{[]string{"/*", "{#", "CDATA", "%%"}, true, codeComment},
	{[]string{"</style", "</STYLE"}, true, styleText},
}

// comments reads what HTML, Markdown and code hide from a page, and what its style draws that is none of its text.
func comments(s string) (found []string) {
	page := strings.Contains(s, "</")
	for _, c := range commentKinds {
		if (page || !c.paged) && slices.ContainsFunc(c.needs, func(n string) bool { return strings.Contains(s, n) }) {
			found = append(found, groups(c.find, s)...)
		}
	}
	return found
}

// groups gives every group of every match that holds something.
func groups(re *lazyre.Regexp, s string) (found []string) {
	for _, m := range re.FindAllStringSubmatch(s, 200) {
		for _, g := range m[1:] {
			if strings.TrimSpace(g) != "" {
				found = append(found, g)
			}
		}
	}
	return found
}

// longestLabel is how many words the label of a button has, which are an order to nobody.
const longestLabel = 3

// captions reads the texts that stand for pictures and links, in Markdown and in the attributes of HTML.
func captions(s string) []string {
	var found []string
	if strings.Contains(s, "![") || strings.Contains(s, "](") {
		found = groups(markCaption, s)
	}
	walk(s, func(n element) {
		for _, a := range n.attr {
			switch a.Key {
			case "alt", "title", "aria-label", "aria-description", "content", "placeholder", "summary", "data-prompt", "data-instructions", "value", "label":
				if len(strings.Fields(a.Val)) > longestLabel {
					found = append(found, a.Val)
				}
			}
		}
	})
	return found
}

// unseen reads the text of elements that a browser does not draw, or draws in a colour or size that nobody sees.
func unseen(s string) (found []string) {
	var b strings.Builder
	depth, name := 0, ""
	walk(s, func(n element) {
		switch {
		case depth > 0 && n.kind == html.TextToken:
			b.WriteString(n.text + " ")
		case depth > 0 && n.name == name && n.kind == html.StartTagToken:
			depth++
		case depth > 0 && n.name == name && n.kind == html.EndTagToken:
			if depth--; depth == 0 {
				found = append(found, b.String())
				b.Reset()
			}
		case depth == 0 && n.kind == html.StartTagToken && hides(n):
			depth, name = 1, n.name
		}
	})
	return append(found, atLeast(8, b.String())...)
}

// element is one token of a page.
type element struct {
	kind html.TokenType
	name string
	text string
	attr []html.Attribute
}

// walk reads a page token by token; text that holds no tag costs nothing.
func walk(s string, fn func(element)) {
	if !strings.Contains(s, "<") || !strings.Contains(s, ">") {
		return
	}
	z := html.NewTokenizer(strings.NewReader(s))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		t := z.Token()
		fn(element{kind, t.Data, t.Data, t.Attr})
	}
}

// hides says whether an element keeps its text from the eye.
func hides(n element) bool {
	switch n.name {
	case "noscript", "template", "noframes", "metadata", "desc":
		return true
	}
	for _, a := range n.attr {
		switch v := strings.ToLower(strings.Join(strings.Fields(a.Val), "")); {
		case a.Key == "hidden", a.Key == "aria-hidden" && v == "true", a.Key == "type" && v == "hidden":
			return true
		case a.Key == "class" && hidingClass.MatchString(strings.ToLower(a.Val)), a.Key == "style" && hidingFor(v):
			return true
		case a.Key == "color" && whites.MatchString(v), a.Key == "size" && v == "0":
			return true
		}
	}
	return false
}

var hidingClass = lazyre.MustCompile(`(?:^|\s)(?:sr-only|visually-hidden|screen-reader-text|d-none|hidden|invisible|hide)(?:\s|$)`)

// hidingFor says whether a style hides: by itself, or by writing in the colour of the ground.
func hidingFor(style string) bool {
	if hidingStyle.MatchString(style) {
		return true
	}
	ink := styleColor.FindStringSubmatch(style)
	if ink == nil {
		return false
	}
	ink[1] = strings.TrimSuffix(ink[1], "!important")
	if ground := styleGround.FindStringSubmatch(style); ground != nil {
		return ground[1] == ink[1] || whites.MatchString(ground[1]) && whites.MatchString(ink[1])
	}
	return whites.MatchString(ink[1])
}
