package public

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/credential"
	"gatehouse/app/web"
	views "gatehouse/views/public"
)

// Secrets opens one-time links; credential.Service does.
type Secrets interface {
	PeekLink(ctx context.Context, id string) (credential.Link, error)
	TakeLink(ctx context.Context, id, take string) (credential.Link, error)
	OpenLink(ctx context.Context, id string) (wire.SecretOpening, error)
	GiveLink(ctx context.Context, id, take, nonce string, box wire.SecretBox, from string) error
}

// secretRoutes are the pages behind one-time links.
func (h *Handler) secretRoutes() []web.Route {
	const at = views.SecretLinkPattern
	return []web.Route{
		{Method: http.MethodGet, Path: at, For: web.Anyone, Limit: web.LimitSignIn, Do: h.askSecret},
		{Method: http.MethodPost, Path: at + "/take", For: web.Open, Limit: web.LimitSignIn, Do: h.takeSecret},
		{Method: http.MethodPost, Path: at + "/open", For: web.Open, Limit: web.LimitSignIn, Do: h.openSecret},
		{Method: http.MethodPost, Path: at + "/give", For: web.Open, Limit: web.LimitSignIn, Do: h.giveSecret},
	}
}

// askSecret answers GET /s/:id with a button. It uses nothing up: programs that preview links open them too.
func (h *Handler) askSecret(c echo.Context) error {
	l, err := h.Secrets.PeekLink(c.Request().Context(), c.Param("id"))
	if errors.Is(err, credential.ErrLink) {
		return web.Render(c, http.StatusGone, views.SecretLinkGone(h.frame(c)))
	}
	if err != nil {
		return err
	}
	p := views.SecretLinkProps{ID: l.ID, Give: l.Kind == credential.LinkGive, Name: l.Name, By: l.By}
	return web.Render(c, http.StatusOK, views.SecretLink(h.frame(c), p))
}

// takeSecret answers POST /s/:id/take: the encrypted value, once.
func (h *Handler) takeSecret(c echo.Context) error {
	l, err := h.Secrets.TakeLink(c.Request().Context(), c.Param("id"), c.FormValue("take"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"box": l.Box})
}

// openSecret answers POST /s/:id/open: the server's key and a nonce, to seal a value with.
func (h *Handler) openSecret(c echo.Context) error {
	got, err := h.Secrets.OpenLink(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

// giveSecret answers POST /s/:id/give: the sealed value goes to the server, and the link is used up.
func (h *Handler) giveSecret(c echo.Context) error {
	err := h.Secrets.GiveLink(c.Request().Context(), c.Param("id"), c.FormValue("take"), c.FormValue("nonce"), wire.SecretBox(c.FormValue("box")), c.RealIP())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]bool{"given": true})
}
