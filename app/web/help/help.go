package help

import (
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/document"
	"gatehouse/app/fault"
	"gatehouse/app/help"
	"gatehouse/app/web"
	"gatehouse/app/web/markdown"
	"gatehouse/views/i18n"

	views "gatehouse/views/help"
)

// Index is the list of the articles or, with ?q=, what is found. base is where the pages of the articles are.
func Index(c echo.Context, base string) views.IndexProps {
	locale := i18n.LocaleOf(web.Context(c))
	p := views.IndexProps{Base: base, Q: strings.TrimSpace(strings.ToValidUTF8(c.QueryParam("q"), ""))}
	for _, t := range help.Topics(locale) {
		p.Topics = append(p.Topics, views.Topic{ID: t.ID, Links: linksOf(base, t.Articles, "")})
	}
	for _, h := range help.Search(locale, p.Q) {
		href := views.ArticlePath(base, h.Slug)
		if h.Section != "" {
			href += "#" + h.Section
		}
		p.Hits = append(p.Hits, views.Hit{Href: href, Title: pieces(h.Title), Excerpt: pieces(h.Excerpt)})
	}
	return p
}

func pieces(all []help.Piece) []views.Piece {
	out := make([]views.Piece, 0, len(all))
	for _, p := range all {
		out = append(out, views.Piece(p))
	}
	return out
}

// linksOf leads to articles, except the one that is open.
func linksOf(base string, all []help.Article, open string) []views.Link {
	var out []views.Link
	for _, a := range all {
		if a.Slug != open {
			out = append(out, views.Link{Href: views.ArticlePath(base, a.Slug), Title: a.Title, Text: a.Summary()})
		}
	}
	return out
}

// errNoArticle says that there is no such article.
var errNoArticle = fault.New(fault.NotFound, "no-article", "no such article",
	"There is no answer at this address. You find all answers under Help.")

// Article is one article of the language of the reader.
func Article(c echo.Context, base, slug string) (views.ArticleProps, error) {
	locale := i18n.LocaleOf(web.Context(c))
	a, ok := help.Find(locale, slug)
	if !ok {
		return views.ArticleProps{}, errNoArticle
	}
	p := views.ArticleProps{Base: base, Title: a.Title}
	p.Lead, p.Sections = Text(a.Document, func(md string) string { return strings.ReplaceAll(md, "]("+views.Public+"/", "]("+base+"/") })
	for _, t := range help.Topics(locale) {
		for _, other := range t.Articles {
			if other.Slug == slug {
				p.More = linksOf(base, t.Articles, slug)
			}
		}
	}
	return p, nil
}

// Text renders a document; change sees each part's Markdown before.
func Text(d document.Document, change func(md string) string) (lead string, sections []views.Section) {
	for _, s := range d.Sections {
		sections = append(sections, views.Section{ID: s.ID, Title: s.Title, HTML: markdown.Page(change(s.Body))})
	}
	return markdown.Page(change(d.Lead)), sections
}
