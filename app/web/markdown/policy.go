package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// policy is the last word on what reaches a page. It starts from nothing: remote images are a way to carry data out,
// ids and classes could stand in for parts of the page.
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := newTextPolicy()
	p.AllowAttrs("href").OnElements("a")
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// newTextPolicy is what every text may have, but for the addresses that its links lead to.
func newTextPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span", "div")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("tabindex").Matching(regexp.MustCompile(`^0$`)).OnElements("pre", "div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^host$`)).OnElements("span")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^scroll$`)).OnElements("div")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AddTargetBlankToFullyQualifiedLinks(true)
	return p
}
