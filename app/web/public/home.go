package public

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/pricing"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// frame is what every public page shows around its content.
func (h *Handler) frame(c echo.Context) views.Frame {
	who := session.Of(c)
	return views.Frame{SignedIn: who.Signed(), Name: who.Name, Notice: notice(c)}
}

// notice is what the page before left to be said.
func notice(c echo.Context) *views.Notice {
	n := web.TakeFlash(c)
	if n == nil {
		return nil
	}
	return &views.Notice{Kind: n.Kind, Text: n.Text}
}

// home answers GET /.
func (h *Handler) home(c echo.Context) error {
	cheapest := h.Orders.Plans()[0]
	return web.Render(c, http.StatusOK, views.Home(h.frame(c), views.HomeProps{From: int64(cheapest.Monthly)}))
}

// pricing answers GET /pricing.
func (h *Handler) pricing(c echo.Context) error {
	return web.Render(c, http.StatusOK, views.Pricing(h.frame(c), h.plans()))
}

// plans are the plans as pages show them.
func (h *Handler) plans() []views.Plan {
	var out []views.Plan
	for _, p := range h.Orders.Plans() {
		out = append(out, planOf(p))
	}
	return out
}

func planOf(p pricing.Plan) views.Plan {
	return views.Plan{ID: string(p.ID), Name: p.Name, Price: int64(p.Monthly), Pool: p.Pool, Suggested: p.ID == pricing.Build}
}

// security answers GET /security.
func (h *Handler) security(c echo.Context) error {
	return web.Render(c, http.StatusOK, views.Security(h.frame(c)))
}

const checkWait = 2 * time.Second

// status answers GET /status: which parts of the hub work now. It says that one does not, never why.
func (h *Handler) status(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), checkWait)
	defer cancel()
	p := views.StatusProps{At: h.Now().UTC()}
	for _, check := range h.Checks {
		p.Parts = append(p.Parts, views.Part{Name: check.Name, Works: check.Ask(ctx) == nil})
	}
	return web.Render(c, http.StatusOK, views.Status(h.frame(c), p))
}
