package public

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/legal"
	"gatehouse/app/web"
	"gatehouse/app/web/help"
	"gatehouse/views/i18n"
	views "gatehouse/views/public"
	"gatehouse/views/ui"
)

// legalRoutes are the operator's own pages, written or not.
func (h *Handler) legalRoutes() []web.Route {
	var all []web.Route
	for _, name := range legal.Names() {
		all = append(all, web.Route{
			Method: http.MethodGet, Path: ui.LegalPath(name), For: web.Anyone, Cache: true,
			Do: func(c echo.Context) error { return h.legal(c, name) },
		})
	}
	return all
}

// errUnwritten says that the operator has not written a page.
var errUnwritten = fault.New(fault.NotFound, "unwritten", "the operator has not written this page",
	"This page has not been written yet.")

// legal answers GET /terms, /privacy and /imprint: what the operator wrote, in the reader's language where there is one.
func (h *Handler) legal(c echo.Context, name string) error {
	locale := i18n.LocaleOf(web.Context(c))
	t, ok := h.Legal.Of(name, locale)
	if !ok {
		return errUnwritten
	}
	p := views.LegalProps{Page: name, Title: t.Title}
	if t.Locale != locale {
		p.Lang = t.Locale
	}
	p.Lead, p.Sections = help.Text(t.Document, func(md string) string { return md })
	return web.Render(c, http.StatusOK, views.Legal(h.frame(c), p))
}
