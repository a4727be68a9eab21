package once_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/web/once"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// world is a route that counts how often it really ran.
type world struct {
	t      *testing.T
	e      *echo.Echo
	ran    atomic.Int64
	now    time.Time
	status int // what the route answers
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, e: echo.New(), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), status: http.StatusAccepted}
	w.e.HTTPErrorHandler = func(err error, c echo.Context) {
		if f := fault.Of(err); f.Kind == fault.Malformed || f.Kind == fault.Conflict {
			_ = c.String(http.StatusConflict, f.Code)
			return
		}
		_ = c.String(http.StatusInternalServerError, "ours")
	}
	g := once.Guard{
		Replays: &db.Idempotency{DB: dbtest.New(t)}, Now: func() time.Time { return w.now }, Keep: once.Answered,
		Who: func(c echo.Context, _ []byte) string { return c.Request().Header.Get("Who") },
	}
	do := g.Wrap(func(c echo.Context) error {
		raw, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		return c.String(w.status, fmt.Sprintf("%s, time %d", raw, w.ran.Add(1)))
	})
	w.e.POST("/a", do)
	w.e.POST("/b", do)
	return w
}

func (w *world) post(path, body, who string, keys ...string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Who", who)
	for _, k := range keys {
		r.Header.Add("Idempotency-Key", k)
	}
	rec := httptest.NewRecorder()
	w.e.ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

func (w *world) want(what string, status int, body string, got int, text string) {
	w.t.Helper()
	if got != status || text != body {
		w.t.Errorf("%s: %d %q, want %d %q", what, got, text, status, body)
	}
}

func (w *world) check(what string, status int, want, path, body, who string, keys ...string) {
	w.t.Helper()
	got, text := w.post(path, body, who, keys...)
	w.want(what, status, want, got, text)
}

func TestWrap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.check("first", 202, "x, time 1", "/a", "x", "u", "k")
	w.check("repeat", 202, "x, time 1", "/a", "x", "u", "k")
	w.check("another body", 409, "idempotency-key-reused", "/a", "y", "u", "k")
	w.check("another path", 409, "idempotency-key-reused", "/b", "x", "u", "k")
	w.check("somebody else's key", 202, "x, time 2", "/a", "x", "v", "k")
	w.check("without a key", 202, "x, time 3", "/a", "x", "u")
	w.check("without a key again", 202, "x, time 4", "/a", "x", "u")
	w.check("nobody", 202, "x, time 5", "/a", "x", "", "k")
	w.check("nobody again", 202, "x, time 6", "/a", "x", "", "k")
	w.now = w.now.Add(24*time.Hour + time.Second)
	w.check("a day later", 202, "x, time 7", "/a", "x", "u", "k")
}

func TestWrap_keys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, keys := range map[string][]string{
		"empty": {""}, "long": {strings.Repeat("k", 201)}, "two": {"k", "l"}, "not ASCII": {"kä"}, "no UTF-8": {"k\xff"}, "a control": {"k\x01"},
	} {
		w.check(name, 409, "bad-request", "/a", "x", "u", keys...)
	}
	if n := w.ran.Load(); n != 0 {
		t.Errorf("it ran %d times", n)
	}
	w.check("as long as may be", 202, "x, time 1", "/a", "x", "u", strings.Repeat("k", 200))
}

// TestWrap_faults: refusals are kept, faults of ours are not.
func TestWrap_faults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.status = http.StatusServiceUnavailable
	w.check("ours", 503, "x, time 1", "/a", "x", "u", "k")
	w.status = http.StatusUnprocessableEntity
	w.check("tried again", 422, "x, time 2", "/a", "x", "u", "k")
	w.status = http.StatusAccepted
	w.check("refused stays refused", 422, "x, time 2", "/a", "x", "u", "k")
}
