package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

// chain is what every request passes before it is routed, outermost first.
func (h *host) chain() []echo.MiddlewareFunc {
	return []echo.MiddlewareFunc{
		h.identify, h.observe, h.recovering, h.harden, sane, h.known, h.bounded, h.sameOrigin(),
	}
}

const idKey = "gatehouse.request_id"

// identify gives the request an id and the hub's clock. What a client sends as an id is not taken: it could be anything.
func (h *host) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(clockKey, h.deps.Now)
		c.Set(mailKey, h.deps.MailAt)
		c.Set(operatorKey, h.deps.Operators.Or(h.deps.Operator))
		id := uuid.Must(uuid.NewV7()).String()
		c.Set(idKey, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

// RequestID is the id of the request, as it stands in the log and on error pages.
func RequestID(c echo.Context) string {
	id, _ := c.Get(idKey).(string)
	return id
}

// recovering turns a panic into an internal error with its stack in the log.
func (h *host) recovering(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				panic(p) // net/http's own way to cut a connection
			}
			h.deps.Log.ErrorContext(c.Request().Context(), "handler panicked",
				"request_id", RequestID(c), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errPanic
		}()
		return next(c)
	}
}

var errPanic = errors.New("handler panicked")

// sane refuses methods that nothing here answers and requests with a flood of headers.
func sane(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !methods[r.Method] && r.Method != http.MethodHead && r.Method != http.MethodOptions {
			return echo.ErrMethodNotAllowed
		}
		if len(r.Header) > maxHeaders {
			return echo.NewHTTPError(http.StatusRequestHeaderFieldsTooLarge)
		}
		return next(c)
	}
}

// known refuses to be read under a foreign name while the hub stands on loopback: a page elsewhere could point its own
// name at this machine and read what needs no cookie, such as the development mail.
func (h *host) known(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if reads && !h.cfg.BehindTLS && !h.ours(r.Host) {
			return echo.NewHTTPError(http.StatusMisdirectedRequest)
		}
		return next(c)
	}
}

// ours says whether host, with or without a port, names this hub.
func (h *host) ours(hostport string) bool {
	if strings.EqualFold(hostport, h.public.Host) {
		return true
	}
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.Trim(hostport, "[]")
	}
	name = strings.ToLower(name)
	ip := net.ParseIP(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || (ip != nil && ip.IsLoopback())
}

// bounded limits the body; reading past the limit fails with *http.MaxBytesError.
func (h *host) bounded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		maxBody := max(int64(maxBody), h.bodies[r.Method+" "+r.URL.Path])
		if r.ContentLength > maxBody {
			return echo.ErrStatusRequestEntityTooLarge
		}
		r.Body = http.MaxBytesReader(c.Response(), r.Body, maxBody)
		return next(c)
	}
}

// sameOrigin refuses what another site's page makes a browser send, unless it only reads.
func (h *host) sameOrigin() echo.MiddlewareFunc {
	cop := http.NewCrossOriginProtection()
	if err := cop.AddTrustedOrigin(h.public.Scheme + "://" + h.public.Host); err != nil {
		panic("public address was checked before: " + err.Error())
	}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := cop.Check(c.Request()); err != nil {
				return errCrossSite
			}
			return next(c)
		}
	}
}
