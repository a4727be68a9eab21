package help

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/help"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"

	views "gatehouse/views/help"
)

// Pages answers the help of the portal.
type Pages struct{ Frames *frame.Frames }

// New makes the section.
func New(frames *frame.Frames) *Pages { return &Pages{frames} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(views.Portal, account.Look, p.index),
		frame.Get(views.ArticlePath(views.Portal, "")+":slug", account.Look, p.article),
	}
}

// index answers GET /app/help: all articles or, with ?q=, what is found.
func (p *Pages) index(c echo.Context) error {
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "guide.title")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.PortalIndex(outer, help.Index(c, views.Portal)))
}

// article answers GET /app/help/:slug.
func (p *Pages) article(c echo.Context) error {
	props, err := help.Article(c, views.Portal, c.Param("slug"))
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: props.Title})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.PortalArticle(outer, props))
}
