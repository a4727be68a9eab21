package portaltest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/signin"
)

// Browser is one person's browser: it keeps cookies and stays where a redirect points.
type Browser struct {
	T   testing.TB
	Hub *Hub
	*http.Client
}

// SignIn opens a browser in which someone is signed in.
func (h *Hub) SignIn(t testing.TB, kind signin.Kind, who signin.Subject) *Browser {
	t.Helper()
	_, secret, err := h.Desk.Open(t.Context(), kind, who, signin.Origin{}, "")
	Must(t, err)
	jar, err := cookiejar.New(nil)
	Must(t, err)
	u, err := url.Parse(h.URL)
	Must(t, err)
	name := "sid"
	if kind == signin.Staff {
		name = "ssid"
	}
	jar.SetCookies(u, []*http.Cookie{{Name: name, Value: secret, Path: "/"}})
	return &Browser{t, h, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Owner opens the browser of a customer's owner.
func (h *Hub) Owner(t testing.TB, of Customer) *Browser {
	t.Helper()
	return h.SignIn(t, signin.Customer, signin.Subject{CustomerID: string(of.ID), UserID: string(of.User)})
}

// Answer is what came back, read to its end.
type Answer struct {
	*http.Response
	*goquery.Document
	Source string
}

// Live is the address of a page's stream.
func (a Answer) Live() string { return a.Find("#live").AttrOr("hx-sse:connect", "") }

// Send sends a request and reads the answer to its end.
func (b *Browser) Send(r *http.Request) Answer {
	b.T.Helper()
	resp, err := b.Do(r)
	Must(b.T, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	Must(b.T, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(raw)))
	Must(b.T, err)
	return Answer{resp, doc, string(raw)}
}

// Get opens a page.
func (b *Browser) Get(path string) Answer {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.Hub.URL+path, nil)
	Must(b.T, err)
	return b.Send(r)
}

// Post sends a form as a browser without scripts does; the CSRF field comes from a page of the same sign-in.
func (b *Browser) Post(path string, form url.Values) Answer {
	b.T.Helper()
	return b.Send(b.form(path, form))
}

// Partial sends a form as htmx does.
func (b *Browser) Partial(path string, form url.Values) Answer {
	b.T.Helper()
	r := b.form(path, form)
	r.Header.Set("HX-Request-Type", "partial")
	return b.Send(r)
}

func (b *Browser) form(path string, form url.Values) *http.Request {
	b.T.Helper()
	if !form.Has("csrf") {
		form.Set("csrf", b.CSRF())
	}
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.Hub.URL+path, strings.NewReader(form.Encode()))
	Must(b.T, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// CSRF reads the field that forms need from a page of the same sign-in.
func (b *Browser) CSRF() string {
	b.T.Helper()
	page := "/app"
	if strings.Contains(b.cookies(), "ssid") {
		page = "/admin/approvals"
	}
	return b.Get(page).Find("input[name=csrf]").AttrOr("value", "")
}

func (b *Browser) cookies() string {
	u, _ := url.Parse(b.Hub.URL)
	names := ""
	for _, c := range b.Jar.Cookies(u) {
		names += c.Name + " "
	}
	return names
}
