package web

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/views/i18n"
)

// errCrossSite is what another site's page gets.
var errCrossSite = fault.New(fault.Forbidden, "cross-site", "cross-site request refused",
	"This request came from another site and was refused. Nothing was changed.")

// errDown is the answer while the database is away.
var errDown = fault.New(fault.Away, "database-away", "database is away",
	"Our database does not answer right now and will be back by itself. Unless a page told you otherwise, nothing was changed. Try again in a few seconds.")

// statuses give each kind of fault its HTTP status.
var statuses = map[fault.Kind]int{
	fault.Malformed: http.StatusBadRequest,
	fault.Invalid:   http.StatusUnprocessableEntity, fault.NotFound: http.StatusNotFound,
	fault.Unauthorized: http.StatusUnauthorized, fault.Forbidden: http.StatusForbidden,
	fault.Conflict: http.StatusConflict, fault.Gone: http.StatusGone, fault.TooMany: http.StatusTooManyRequests,
	fault.Away: http.StatusServiceUnavailable, fault.Internal: http.StatusInternalServerError,
}

// StatusOf is the HTTP status of a kind of fault.
func StatusOf(k fault.Kind) int { return statuses[k] }

// plain are the answers to what is wrong with a request before any handler sees it.
var plain = map[int]*fault.Fault{
	http.StatusNotFound: fault.New(fault.NotFound, "not-found", "no such route",
		"There is no page at this address. It may have moved, or it may belong to someone else."),
	http.StatusMethodNotAllowed: fault.New(fault.Invalid, "method", "method not allowed",
		"This address does not accept this kind of request. Nothing was changed."),
	http.StatusRequestEntityTooLarge: fault.New(fault.Invalid, "too-large", "body too large",
		"This was more than one megabyte. Nothing was saved. Send less at a time."),
	http.StatusRequestHeaderFieldsTooLarge: fault.New(fault.Invalid, "headers", "too many headers",
		"The request had too many headers."),
	http.StatusMisdirectedRequest: fault.New(fault.Invalid, "host", "foreign host name",
		"This website has a different address. Open it under its own address."),
	http.StatusBadRequest: fault.New(fault.Invalid, "bad-request", "request cannot be read",
		"The request could not be read. Nothing was changed."),
	http.StatusUnsupportedMediaType: fault.New(fault.Invalid, "media-type", "unsupported media type",
		"The request has a content type that we do not support."),
}

// onError is the one place where an error becomes an answer. What people see is the fault's public text; the cause is
// in the log under the request id, and only there.
func (h *host) onError(err error, c echo.Context) {
	status, f := h.answerOf(err)
	h.logFailure(c, status, f, err)
	if c.Response().Committed {
		return
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	waitHeader(c, err)
	if err := h.answer(c, status, f); err != nil {
		h.deps.Log.ErrorContext(c.Request().Context(), "error page failed", "request_id", RequestID(c), "error", err)
		_ = c.String(http.StatusInternalServerError, i18n.Say(Context(c), fault.Of(nil).Public)+" "+RequestID(c)) // the reader may be gone
	}
}

// answerOf finds status and text for err.
func (h *host) answerOf(err error) (int, *fault.Fault) {
	var tooBig *http.MaxBytesError
	var he *echo.HTTPError
	var f *fault.Fault
	switch {
	case errors.As(err, &tooBig):
		return http.StatusRequestEntityTooLarge, plain[http.StatusRequestEntityTooLarge]
	case errors.As(err, &f):
		return StatusOf(f.Kind), f
	case errors.As(err, &he):
		if f, ok := plain[he.Code]; ok {
			return he.Code, f
		}
	case h.deps.Down != nil && h.deps.Down(err):
		return StatusOf(errDown.Kind), errDown
	}
	return http.StatusInternalServerError, fault.Of(err)
}

// answer writes the fault in the form that the sender reads: a problem document below /api, a way to the sign-in page
// for a browser that needs one, an error page otherwise.
func (h *host) answer(c echo.Context, status int, f *fault.Fault) error {
	switch {
	case c.Request().Method == http.MethodHead:
		return c.NoContent(status)
	case strings.HasPrefix(c.Request().URL.Path, "/api/") || routeOf(c).For == Server:
		return problem(c, status, f)
	case h.leadsToSignIn(c, f):
		if keep := routeOf(c).Keep; keep != nil && f.Code == signin.ErrNotFresh.Code {
			keepTyped(c, keep(c))
		}
		return c.Redirect(http.StatusSeeOther, signInPath(c, f))
	default:
		return h.errorPage(c, status, f)
	}
}

// Problem is an error of the JSON API, in the form of RFC 9457.
type Problem struct {
	Type      string            `json:"type"` // the stable code of the fault
	Title     string            `json:"title"`
	Status    int               `json:"status"`
	Detail    string            `json:"detail"`
	RequestID string            `json:"request_id"`
	Fields    map[string]string `json:"fields,omitempty"` // message by field
}

func problem(c echo.Context, status int, f *fault.Fault) error {
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	return c.JSON(status, Problem{
		Type: f.Code, Title: http.StatusText(status), Status: status, Detail: f.Public, RequestID: RequestID(c), Fields: f.Fields,
	})
}

// leadsToSignIn says whether the browser should be taken to a sign-in page: it loads a whole page or sends a plain
// form. Fragments and streams get the bare status, or they would show the sign-in page in the middle of another.
func (h *host) leadsToSignIn(c echo.Context, f *fault.Fault) bool {
	if f.Kind != fault.Unauthorized && f.Code != signin.ErrNotFresh.Code {
		return false
	}
	return !IsPartial(c) && !routeOf(c).Stream
}

// signInPath is the page to sign in at, with the way back.
func signInPath(c echo.Context, f *fault.Fault) string {
	r := c.Request()
	page := "/auth/sign-in"
	if For := routeOf(c).For; For == Staff || For == StaffPending {
		page = "/admin/auth/sign-in"
	}
	again := f.Code == signin.ErrNotFresh.Code
	q := make([]string, 0, 2)
	switch {
	case r.Method == http.MethodGet:
		q = append(q, "next="+url.QueryEscape(r.URL.RequestURI()))
	case again: // what a form asks for lies below the page it stands on
		q = append(q, "next="+url.QueryEscape(path.Dir(r.URL.Path)))
	}
	if again {
		q = append(q, "again=1")
	}
	if len(q) == 0 {
		return page
	}
	return page + "?" + strings.Join(q, "&")
}

// waitHeader says how long to wait before the next try.
func waitHeader(c echo.Context, err error) {
	var t *tooMany
	if errors.As(err, &t) {
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(t.wait.Seconds()))))
	}
}

// logFailure writes the cause down: ours as an error, the sender's as information.
func (h *host) logFailure(c echo.Context, status int, f *fault.Fault, err error) {
	ctx := c.Request().Context()
	if ctx.Err() != nil {
		return // the reader left; there is nobody to answer and nothing is wrong
	}
	log := h.deps.Log.InfoContext
	if f.Kind == fault.Internal || f == errDown {
		log = h.deps.Log.ErrorContext
	}
	log(ctx, "request failed", "request_id", RequestID(c), "route", pattern(c), "status", status, "error", err)
}
