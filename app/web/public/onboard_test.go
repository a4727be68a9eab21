package public_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/work"
)

// feed reads the events of a stream: data of nameless ones, names of others. It ends when the stream does.
func (b *browser) feed(t *testing.T, path string) (*http.Response, <-chan string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.hub.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string)
	go func() {
		defer close(out)
		defer func() { _ = res.Body.Close() }()
		lines, data := bufio.NewScanner(res.Body), ""
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "event: "):
				data = line
			case strings.HasPrefix(line, "data: "):
				data += strings.TrimPrefix(line, "data: ") + "\n"
			case line == "" && data != "":
				out <- data
				data = ""
			}
		}
	}()
	return res, out
}

// next waits for an event that holds want.
func next(t *testing.T, feed <-chan string, want string) string {
	t.Helper()
	var last string
	for e := range feed {
		if last = e; strings.Contains(e, want) {
			return e
		}
	}
	t.Fatalf("stream ended without %q; last was %q", want, last)
	return ""
}

func (h *hub) customer(t *testing.T) account.CustomerID {
	t.Helper()
	var id string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT id FROM customers").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return account.CustomerID(id)
}

func TestOnboard_followsTheOrderLive(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	res, feed := b.feed(t, "/onboard/stream")
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("stream: %d %s", res.StatusCode, got)
	}
	next(t, feed, `data-state="PAYMENT_CONFIRMED"`)
	for _, s := range order.Path()[1:] {
		h.advance(t, h.customer(t), s)
		e := next(t, feed, `data-state="`+string(s)+`"`)
		if strings.Contains(e, "autofocus") || !strings.Contains(e, `<hx-partial hx-target="#progress"`) {
			t.Errorf("%s: a push must name its target and never take the focus: %s", s, e)
		}
		if s == order.Fulfilled {
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(e))
			if err != nil || doc.Find(`a[href="/app"]`).Length() != 1 || doc.Find(`[hx-get="/onboard/enter"]`).Length() != 1 {
				t.Errorf("the finished order does not lead into the portal: %s", e)
			}
		}
	}
}

func TestOnboard_failureSaysWhyAndThatItIsLookedAfter(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	h.advance(t, h.customer(t), order.AwaitingServer)
	o, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	_, feed := b.feed(t, "/onboard/stream")
	next(t, feed, "AWAITING_SERVER")
	job := work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}
	if _, err := h.orders.Fail(t.Context(), job, "No machine was free."); err != nil {
		t.Fatal(err)
	}
	e := next(t, feed, `data-state="FAILED"`)
	for _, want := range []string{"No machine was free.", "working on it", `data-state="failed"`} {
		if !strings.Contains(e, want) {
			t.Errorf("pushed failure lacks %q: %s", want, e)
		}
	}
	doc := b.get("/onboard").doc(t)
	if doc.Find(`li[data-state=failed][aria-current=step]`).Length() != 1 || doc.Find(`li[data-state=done]`).Length() != 1 {
		t.Errorf("stepper after a failure: %s", doc.Find("ol.stepper").Text())
	}
}

func TestOnboard_worksWithoutAScript(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	if a := b.get("/onboard"); !strings.Contains(a.doc(t).Find("noscript").Text()+a.text, `http-equiv="refresh"`) {
		t.Error("without a script the page does not load again")
	}
	h.advance(t, h.customer(t), order.Fulfilled)
	a := b.get("/onboard")
	if strings.Contains(a.text, `http-equiv="refresh"`) || a.doc(t).Find(`main a[href="/app"]`).Length() == 0 {
		t.Error("a finished order must stop looking and lead into the portal")
	}
	if a := b.get("/onboard/enter"); a.location() != "/app" {
		t.Errorf("enter: %d to %q", a.StatusCode, a.location())
	}
}

func TestOnboard_withoutAnOrder(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	h.cancel(t)
	if a := b.get("/onboard"); a.StatusCode != 200 || a.doc(t).Find(`a[href="/pricing"].primary`).Length() == 0 {
		t.Errorf("cancelled order: %d", a.StatusCode)
	}
	if _, err := h.db.Pool.Exec(t.Context(), "TRUNCATE orders CASCADE"); err == nil {
		t.Error("history could be truncated")
	}
}

func TestOnboard_streamEndsAfterSignOut(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(b *browser){
		"in this browser": func(b *browser) { b.post("/auth/sign-out", "csrf", b.get("/app/token").text) },
		"everywhere": func(b *browser) {
			other := b.hub.browser(b.t)
			other.post("/auth/sign-in", "email", "owner@example.com", "password", password)
			other.post("/auth/sign-out-everywhere", "csrf", other.get("/app/token").text)
		},
		"by a new password": func(b *browser) {
			l, err := b.hub.accounts.Letter(b.t.Context(), work.SendMail{Template: "reset", UserID: b.hub.user(b.t)})
			if err != nil {
				b.t.Fatal(err)
			}
			b.hub.browser(b.t).post("/auth/reset/"+l.Token, "password", "a new and longer one 1")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t)
			b := h.browser(t)
			b.checkout("owner@example.com")
			_, feed := b.feed(t, "/onboard/stream")
			next(t, feed, "PAYMENT_CONFIRMED")
			leave(&browser{t, h, b.Client})
			next(t, feed, "event: signed-out") // app/web/session holds how soon
			if _, open := <-feed; open {
				t.Error("something came after the sign-out")
			}
			if a := b.get("/onboard/stream"); a.StatusCode != http.StatusUnauthorized {
				t.Errorf("a new stream: %d, want 401 so that the page stops asking", a.StatusCode)
			}
		})
	}
}

func (h *hub) user(t *testing.T) string {
	t.Helper()
	var id string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT id FROM users").Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestOnboard_isNobodyElses(t *testing.T) {
	t.Parallel()
	h := start(t)
	mine, theirs := h.browser(t), h.browser(t)
	mine.checkout("owner@example.com")
	theirs.fill("/checkout?plan=lite", "/checkout", "business", "Other", "name", "Another", "email", "another@example.com", "password", password)
	if a := theirs.get("/onboard"); strings.Contains(a.text, "owner@example.com") || !strings.Contains(a.text, "Order 1002") {
		t.Error("one customer sees the order of another")
	}
	if a := h.browser(t).get("/onboard"); a.location() != "/auth/sign-in?next="+url.QueryEscape("/onboard") {
		t.Errorf("stranger: %d to %q", a.StatusCode, a.location())
	}
}
