package portal_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/audit"
	"gatehouse/app/signin"
)

// browser is one person's browser: it keeps cookies and stays where a redirect points.
type browser struct {
	t   testing.TB
	hub *hub
	*http.Client
}

// signIn opens a browser in which somebody is signed in.
func (h *hub) signIn(t testing.TB, kind signin.Kind, who signin.Subject) *browser {
	t.Helper()
	_, secret, err := h.desk.Open(t.Context(), kind, who, signin.Origin{}, "")
	must(t, err)
	jar, err := cookiejar.New(nil)
	must(t, err)
	u, err := url.Parse(h.url)
	must(t, err)
	name := "sid"
	if kind == signin.Staff {
		name = "ssid"
	}
	jar.SetCookies(u, []*http.Cookie{{Name: name, Value: secret, Path: "/"}})
	return &browser{t, h, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (h *hub) owner(t testing.TB, of customer) *browser {
	t.Helper()
	return h.signIn(t, signin.Customer, signin.Subject{CustomerID: string(of.id), UserID: string(of.user)})
}

func (h *hub) clerk(t testing.TB) *browser {
	t.Helper()
	b, _ := h.clerkOf(t, "staff@example.com", "OWNER")
	return b
}

// clerkOf is one of our staff with a role, and as whom they ask for keys.
func (h *hub) clerkOf(t testing.TB, email, role string) (*browser, audit.Actor) {
	t.Helper()
	id := newID()
	_, err := h.db.Pool.Exec(t.Context(), `INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		VALUES ($1, $2, $2, 'Staff', $3, $4, 'x', now())`, id, email, role, somebodysHash)
	must(t, err)
	return h.signIn(t, signin.Staff, signin.Subject{StaffID: id}), audit.Actor{Kind: audit.Staff, ID: id, Name: email, Address: "192.0.2.9"}
}

// answer is what came back, read to its end.
type answer struct {
	*http.Response
	*goquery.Document
	text string
}

func (b *browser) send(r *http.Request) answer {
	b.t.Helper()
	resp, err := b.Do(r)
	must(b.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(b.t, err)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(raw)))
	must(b.t, err)
	return answer{resp, doc, string(raw)}
}

func (b *browser) get(path string) answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.hub.url+path, nil)
	must(b.t, err)
	return b.send(r)
}

// post sends a form as a browser without scripts does; the CSRF field comes from a page of the same sign-in.
func (b *browser) post(path string, form url.Values) answer {
	b.t.Helper()
	return b.send(b.form(path, form))
}

// partial sends a form as htmx does.
func (b *browser) partial(path string, form url.Values) answer {
	b.t.Helper()
	r := b.form(path, form)
	r.Header.Set("HX-Request-Type", "partial")
	return b.send(r)
}

func (b *browser) form(path string, form url.Values) *http.Request {
	b.t.Helper()
	if !form.Has("csrf") {
		form.Set("csrf", b.csrf())
	}
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.hub.url+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (b *browser) csrf() string {
	b.t.Helper()
	page := "/app"
	if strings.Contains(b.cookies(), "ssid") {
		page = "/admin/approvals"
	}
	return b.get(page).Find("input[name=csrf]").AttrOr("value", "")
}

func (b *browser) cookies() string {
	u, _ := url.Parse(b.hub.url)
	names := ""
	for _, c := range b.Jar.Cookies(u) {
		names += c.Name + " "
	}
	return names
}

// stream is an open page's stream.
type stream struct {
	t      testing.TB
	lines  chan message
	cancel context.CancelFunc
}

// message is one event of a stream.
type message struct{ id, event, data string }

// open connects the stream of a page; lastID is where it goes on, "" for a new one.
func (b *browser) open(path, lastID string) *stream {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.hub.url+path, nil)
	must(b.t, err)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := b.Do(r)
	must(b.t, err)
	if resp.StatusCode != http.StatusOK {
		b.t.Fatalf("stream %s: status %d", path, resp.StatusCode)
	}
	s := &stream{t: b.t, lines: make(chan message, 100), cancel: cancel}
	go s.read(resp.Body)
	b.t.Cleanup(cancel)
	return s
}

func (s *stream) read(body io.ReadCloser) {
	defer close(s.lines)
	defer body.Close()
	var m message
	in := bufio.NewScanner(body)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		name, value, _ := strings.Cut(in.Text(), ": ")
		switch {
		case in.Text() == "":
			if m != (message{}) {
				s.lines <- m
			}
			m = message{}
		case name == "id":
			m.id = value
		case name == "event":
			m.event = value
		case name == "data":
			m.data += value + "\n"
		}
	}
}

// patience is how long a test waits for what must happen.
const patience = time.Minute

// until reads on until a message holds the text, and gives all that came. What is pushed never takes the focus.
func (s *stream) until(text string) (got []message) {
	s.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case m, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("the stream ended before %q", text)
			}
			got = append(got, m)
			if strings.Contains(m.data, " autofocus") {
				s.t.Fatalf("a pushed fragment takes the focus: %s", m.data)
			}
			if strings.Contains(m.data, text) {
				return got
			}
		case <-limit:
			s.t.Fatalf("never pushed: %q; came %v", text, got)
		}
	}
}

// part is the pushed fragment for a target, of the last message that has one.
func part(got []message, target string) *goquery.Selection {
	for i := len(got) - 1; i >= 0; i-- {
		html := strings.NewReplacer("<hx-partial", "<div", "</hx-partial>", "</div>").Replace(got[i].data)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
		if err != nil {
			continue
		}
		if found := doc.Find("div[hx-target]").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.AttrOr("hx-target", "") == target }); found.Length() > 0 {
			return found
		}
	}
	return &goquery.Selection{}
}
