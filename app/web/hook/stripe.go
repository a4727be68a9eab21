package hook

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/payment"
	"gatehouse/app/web"
)

// Taker takes a signed event; payment.Service does.
type Taker interface {
	// Take keeps the event, if its signature fits; after that it is dealt with sooner or later. A repeat changes nothing.
	Take(ctx context.Context, body []byte, signature string) error
}

// Handler answers what other services send.
type Handler struct {
	Stripe Taker
	Hooks  Carrier

	Messengers Messengers
}

// maxEvent is the most that an event of Stripe may be long. They are some kilobytes.
const maxEvent = 256 << 10

// Routes states every route of the package with its audience.
func (h *Handler) Routes() []web.Route {
	return []web.Route{
		{Method: http.MethodPost, Path: "/webhooks/stripe", For: web.Service, Limit: web.LimitHook, Do: h.stripe},
		{Method: http.MethodPost, Path: DeliverPath, For: web.Service, Limit: web.LimitHook, Do: h.deliver},
		{Method: http.MethodGet, Path: BringPath, For: web.Service, Limit: web.LimitHook, Do: h.bring},
		{Method: http.MethodPost, Path: BringPath, For: web.Service, Limit: web.LimitHook, Do: h.bring},
	}
}

// stripe answers POST /webhooks/stripe. The bytes are read as they came, since those are signed. Stripe is told that an event was
// taken once it is stored, and sends it again otherwise.
func (h *Handler) stripe(c echo.Context) error {
	body, err := io.ReadAll(io.LimitReader(c.Request().Body, maxEvent+1))
	if err != nil {
		return err
	}
	if len(body) > maxEvent {
		return echo.ErrStatusRequestEntityTooLarge
	}
	err = h.Stripe.Take(c.Request().Context(), body, c.Request().Header.Get("Stripe-Signature"))
	if errors.Is(err, payment.ErrSignature) {
		return c.String(http.StatusBadRequest, "The signature does not fit.\n")
	}
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
