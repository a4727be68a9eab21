package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/help"

	guide "gatehouse/views/help"
	views "gatehouse/views/public"
)

// help answers GET /help: all articles or, with ?q=, what is found.
func (h *Handler) help(c echo.Context) error {
	return web.Render(c, http.StatusOK, views.Help(h.frame(c), help.Index(c, guide.Public)))
}

// article answers GET /help/:slug.
func (h *Handler) article(c echo.Context) error {
	p, err := help.Article(c, guide.Public, c.Param("slug"))
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Article(h.frame(c), p))
}
