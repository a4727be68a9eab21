package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"gatehouse/views/ui"
)

func withForm(pairs ...string) func(*http.Request) {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return func(r *http.Request) {
		r.Body = io.NopCloser(strings.NewReader(v.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
}

func TestSwap_fragmentOrWholePage(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "POST", Path: "/act", For: Open, Do: func(c echo.Context) error {
		return Swap(c, "/list", ui.Text("the changed row"))
	}})
	w := e.do("POST", "/act", header("HX-Request-Type", "partial"))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "the changed row") || w.Header().Get("Vary") != "HX-Request-Type" {
		t.Errorf("to htmx: %d %q, Vary %q", w.Code, w.Body, w.Header().Get("Vary"))
	}
	if w := e.do("POST", "/act"); w.Code != 303 || w.Header().Get("Location") != "/list" {
		t.Errorf("to a plain form: %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestTheme(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/page", For: Open, Do: func(c echo.Context) error {
		return c.String(http.StatusOK, "theme="+Theme(c))
	}})
	for _, c := range []struct{ theme, back, location, shows string }{
		{"dark", "/pricing", "/pricing", "theme=dark"},
		{"light", "//evil.test", "/", "theme=light"},
		{"", "/", "/", "theme="},
		{`"><script>`, "/", "/", "theme="},
	} {
		w := e.do("POST", "/theme", withForm("theme", c.theme, "back", c.back))
		if w.Code != 303 || w.Header().Get("Location") != c.location {
			t.Errorf("%q: %d to %q", c.theme, w.Code, w.Header().Get("Location"))
		}
		got := e.do("GET", "/page", func(r *http.Request) {
			for _, ck := range w.Result().Cookies() {
				r.AddCookie(ck)
			}
		})
		if got.Body.String() != c.shows {
			t.Errorf("%q: page shows %q", c.theme, got.Body)
		}
	}
}

func TestFlash_isShownOnceAndOnlyIfReadable(t *testing.T) {
	t.Parallel()
	leave := httptest.NewRecorder()
	Flash(echo.New().NewContext(httptest.NewRequest("GET", "/", nil), leave), "ok", "Saved.")
	take := func(value string) (*Notice, *httptest.ResponseRecorder) {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.AddCookie(&http.Cookie{Name: flashName, Value: value})
		return TakeFlash(echo.New().NewContext(r, w)), w
	}
	n, w := take(leave.Result().Cookies()[0].Value)
	if n == nil || n.Text != "Saved." || n.Kind != "ok" || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("left %v; it must be taken away with the reading", n)
	}
	for _, rubbish := range []string{"", "x", "e30", strings.Repeat("A", 4000)} {
		if n, _ := take(rubbish); n != nil {
			t.Errorf("cookie %.10q reads as %v", rubbish, n)
		}
	}
}

// TestRender_compressesWhatIsPublic: a page that is the same for everybody travels compressed as far as the browser takes it;
// what a sign-in may be part of never does.
func TestRender_compressesWhatIsPublic(t *testing.T) {
	t.Parallel()
	page := func(c echo.Context) error {
		return Render(c, http.StatusOK, ui.Text(strings.Repeat("We open at nine. ", 200)))
	}
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/public", For: Anyone, Cache: true, Do: page},
		Route{Method: "GET", Path: "/other", For: Anyone, Do: page})
	for _, c := range []struct{ path, accept, want string }{
		{"/public", "gzip, br", "br"},
		{"/public", "gzip", "gzip"},
		{"/public", "br;q=0", ""},
		{"/public", "", ""},
		{"/other", "gzip, br", ""},
	} {
		w := e.do("GET", c.path, header("Accept-Encoding", c.accept))
		if got := w.Header().Get("Content-Encoding"); got != c.want || (got == "") != strings.Contains(w.Body.String(), "at nine") {
			t.Errorf("%s to %q: Content-Encoding %q, want %q", c.path, c.accept, got, c.want)
		}
		if n := strconv.Itoa(w.Body.Len()); w.Header().Get("Content-Length") != n {
			t.Errorf("%s to %q: Content-Length %s of %s", c.path, c.accept, w.Header().Get("Content-Length"), n)
		}
		if varies := slices.Contains(w.Header().Values("Vary"), "Accept-Encoding"); varies != (c.path == "/public") {
			t.Errorf("%s: Vary %q", c.path, w.Header().Values("Vary"))
		}
	}
}

func TestCache_onlyWhereTheRouteSaysSo(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/page", For: Anyone, Cache: true, Do: answer("ok")},
		Route{Method: "GET", Path: "/gone", For: Anyone, Cache: true, Do: fails(echo.ErrNotFound)})
	for path, want := range map[string]string{"/page": "private, no-cache", "/gone": "no-store", "/healthz": "no-store"} {
		if got := e.do("GET", path).Header().Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", path, got, want)
		}
	}
}
