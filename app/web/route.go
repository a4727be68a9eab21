package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
)

// Audience says who a route is for. It is stated by every route and decides the middleware: it cannot be forgotten.
type Audience string

// The audiences.
const (
	Open          Audience = "open"           // public and the same for everybody: no sign-in is looked up
	Anyone        Audience = "anyone"         // public; notes a signed-in customer, or else who of our staff reads it (session.Clerk)
	Customer      Audience = "customer"       // a customer's person, by cookie
	Staff         Audience = "staff"          // our staff, both factors, by cookie
	StaffPending  Audience = "staff_pending"  // our staff between password and second factor
	CustomerHalf  Audience = "customer_half"  // a customer's person before the second step
	CustomerToken Audience = "customer_token" // a customer's API token with Scope
	StaffToken    Audience = "staff_token"    // a staff API token with Scope
	Server        Audience = "server"         // agentd: proves itself in the handler (one-time token, signed challenge)
	Service       Audience = "service"        // another service, such as Stripe: signs what it sends, which the handler checks
)

// Route is one method and path. Surfaces hand theirs to New; there is no other way to add one.
type Route struct {
	Method string
	Path   string
	For    Audience
	Do     echo.HandlerFunc
	Needs  staff.Permission // Staff and StaffToken: what the role must include; staff.Own where each may
	Right  account.Right    // Customer and CustomerToken: what the person must be allowed to
	Scope  string           // CustomerToken and StaffToken: what the token must carry
	Fresh  bool             // Customer and Staff: needs a sign-in of the last ten minutes
	// Keep is, with Fresh, what of a form is kept in its sender's browser while they sign in again; never a secret. It may be nil.
	Keep   func(c echo.Context) string
	Stream bool  // lives long (server-sent events, websocket): no deadline for the whole request
	Limit  Limit // the bucket per address that it draws from; "" for none
	Body   int64 // how much may be sent, in bytes; 0: as much as to any other page
	Cache  bool  // Open and Anyone only: browsers may keep it and ask again; everything else is no-store
}

// check says what is wrong with the statement of r, "" when nothing.
func (r Route) check() string {
	ours := r.For == Staff || r.For == StaffToken
	theirs := r.For == Customer || r.For == CustomerToken
	token := r.For == CustomerToken || r.For == StaffToken
	switch {
	case r.Do == nil:
		return "has no handler"
	case !strings.HasPrefix(r.Path, "/"):
		return "has a path that does not start with /"
	case !methods[r.Method]:
		return "has an unknown method"
	case !audiences[r.For]:
		return "states no audience"
	case token != (r.Scope != ""):
		return "must state a scope if, and only if, it is for API tokens"
	case ours != (len(staff.With(r.Needs)) > 0):
		return "must state a permission of the table if, and only if, it is for our staff"
	case theirs != (account.Rights{Role: account.Owner}.May(r.Right)):
		return "must state a right of the table if, and only if, it is for people of a customer"
	case r.Fresh && r.For != Customer && r.For != Staff:
		return "asks for a fresh sign-in of nobody who is signed in"
	case r.Keep != nil && !r.Fresh:
		return "keeps what was typed for a sign-in that it does not ask for"
	case r.Cache && r.For != Anyone && r.For != Open:
		return "would let private pages be cached"
	case r.Limit != "" && buckets[r.Limit] == bucket{}:
		return "names an unknown limit"
	}
	return ""
}

var methods = map[string]bool{
	http.MethodGet: true, http.MethodPost: true, http.MethodPut: true, http.MethodPatch: true, http.MethodDelete: true,
}

var audiences = map[Audience]bool{
	Open: true, Anyone: true, Customer: true, Staff: true, StaffPending: true, CustomerHalf: true,
	CustomerToken: true, StaffToken: true, Server: true, Service: true,
}

// forms says whether browsers ask for the route, with forms.
func (r Route) forms() bool {
	return r.For == Anyone || r.For == Customer || r.For == Staff || r.For == StaffPending || r.For == CustomerHalf
}

// guards are the middleware of a route, outermost first.
func (h *host) guards(r Route) []echo.MiddlewareFunc {
	var g []echo.MiddlewareFunc
	if r.Limit != "" {
		g = append(g, h.limits.perAddress(r.Limit))
	}
	switch r.For {
	case Anyone:
		g = append(g, h.sessions.Visitor)
	case Customer:
		g = append(g, h.sessions.Require(signin.Customer), session.CheckCSRF)
	case Staff:
		g = append(g, h.sessions.Require(signin.Staff), session.CheckCSRF)
	case StaffPending:
		g = append(g, h.sessions.Require(signin.Pending), session.CheckCSRF)
	case CustomerHalf:
		g = append(g, h.sessions.Require(signin.CustomerPending), session.CheckCSRF)
	case CustomerToken, StaffToken:
		g = append(g, h.sessions.Token(r.For == StaffToken, r.Scope))
	}
	if r.Needs != "" {
		g = append(g, permitted(r.Needs))
	}
	if r.Right != "" {
		g = append(g, session.Allowed(r.Right))
	}
	if r.Method == http.MethodPost && r.forms() {
		g = append(g, onlyText)
	}
	if r.Fresh {
		g = append(g, h.sessions.Fresh)
	}
	if r.forms() {
		g = append(g, inLanguage)
	}
	return g
}

// permitted lets in those of our staff whose role includes p; others read which role does.
func permitted(p staff.Permission) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if !staff.Role(session.Of(c).Role).May(p) {
				return staff.Refused(p)
			}
			return next(c)
		}
	}
}

// inLanguage lets all that answers the request speak the reader's language; it stands behind what finds out who that is.
func inLanguage(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.SetRequest(c.Request().WithContext(i18n.With(c.Request().Context(), locale(c))))
		return next(c)
	}
}

// mount adds routes; a wrong or repeated statement is an error at start, not a surprise later.
func (h *host) mount(routes []Route) error {
	seen := map[string]bool{}
	for _, r := range routes {
		key := r.Method + " " + r.Path
		if why := r.check(); why != "" {
			return fmt.Errorf("route %s %s", key, why)
		}
		if seen[key] {
			return fmt.Errorf("route %s is stated twice", key)
		}
		seen[key] = true
		h.add(r)
	}
	return nil
}

// add mounts one route. What may be read with GET answers HEAD too, unless it is a stream, which has no end to measure.
func (h *host) add(r Route) {
	guards := append([]echo.MiddlewareFunc{stating(r)}, h.guards(r)...)
	h.echo.Add(r.Method, r.Path, r.Do, guards...)
	if r.Body > 0 {
		h.bodies[r.Method+" "+r.Path] = r.Body
	}
	if r.Method == http.MethodGet && !r.Stream {
		h.echo.Add(http.MethodHead, r.Path, r.Do, guards...)
	}
}

const routeKey = "gatehouse.route"

// stating notes the route, for the error page, caching and logs.
func stating(r Route) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Set(routeKey, r)
			if r.Cache {
				c.Response().Header().Set("Cache-Control", "private, no-cache")
			}
			return next(c)
		}
	}
}

// routeOf is the route of a request; zero where none matched.
func routeOf(c echo.Context) Route {
	r, _ := c.Get(routeKey).(Route)
	return r
}
