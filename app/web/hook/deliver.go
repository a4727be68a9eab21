package hook

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
)

// Carrier carries what somebody outside has sent to a server; hook.Service does.
type Carrier interface {
	// Deliver gives the server's answer. An error of the kind Away or TooMany is one that the sender may try again after.
	Deliver(ctx context.Context, serverID, network string, d wire.HookDelivery) (wire.HookAnswer, error)
}

// DeliverPath is the address of a hook.
const DeliverPath = "/h/:server/:name"

// awaySeconds is how long a sender waits for a server that cannot be reached.
const awaySeconds = 60

// deliver answers POST /h/{server}/{name}. Nothing of what came is kept here, whether the server takes it or not, and no log has its
// headers or its body.
func (h *Handler) deliver(c echo.Context) error {
	serverID := c.Param("server")
	if uuid.Validate(serverID) != nil || !wire.HookNamed(c.Param("name")) {
		return told(c, wire.HookAnswer{
			Verdict: wire.HookRefused, Status: http.StatusNotFound, Reason: "There is no such address. Nothing was taken.",
		})
	}
	d, err := read(c.Request(), c.Param("name"))
	if err != nil {
		return err
	}
	a, err := h.Hooks.Deliver(c.Request().Context(), serverID, web.Network(c.RealIP()), d)
	if err == nil && a.Status >= http.StatusOK {
		return told(c, a)
	}
	if err != nil && fault.Of(err).Kind == fault.TooMany {
		return told(c, wire.HookAnswer{
			Verdict: wire.HookTooMany, Status: http.StatusTooManyRequests, RetryAfter: 1,
			Reason: "Too many deliveries at once. Nothing was taken; send it again later.",
		})
	}
	return told(c, wire.HookAnswer{ // also of a server that is too old to have hooks
		Verdict: wire.HookRefused, Status: http.StatusServiceUnavailable, RetryAfter: awaySeconds,
		Reason: "The server cannot be reached at the moment. Nothing was kept; send it again later.",
	})
}

// read makes a delivery of a request: of its headers only wire.HookHeaders, and of a body that is too long only that it is.
func read(r *http.Request, name string) (wire.HookDelivery, error) {
	d := wire.HookDelivery{Name: name, Headers: map[string]string{}}
	for _, header := range wire.HookHeaders {
		if v := r.Header.Get(header); v != "" {
			d.Headers[header] = v
		}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxHookBody+1))
	if err != nil {
		return d, err
	}
	if d.Size = len(body); d.Size <= wire.MaxHookBody {
		d.Body = body
	}
	return d, nil
}

// told tells the sender what became of a delivery.
func told(c echo.Context, a wire.HookAnswer) error {
	if a.RetryAfter > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(a.RetryAfter))
	}
	return c.JSON(a.Status, struct {
		Verdict wire.HookVerdict `json:"verdict"`
		Reason  string           `json:"reason,omitempty"`
		RunID   string           `json:"run_id,omitempty"`
	}{a.Verdict, a.Reason, a.RunID})
}
