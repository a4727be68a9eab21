package public_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/app/signin"
	"gatehouse/app/work"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).checkout("owner@example.com")
	for name, c := range map[string]struct {
		email, password, next string
		status                int
		location              string
	}{
		"right":                      {"owner@example.com", password, "", 303, "/app"},
		"right, other capitals":      {"Owner@EXAMPLE.com", password, "", 303, "/app"},
		"right, on the way":          {"owner@example.com", password, "/app/chat?x=1", 303, "/app/chat?x=1"},
		"right, led elsewhere":       {"owner@example.com", password, "//evil.test", 303, "/app"},
		"right, led by script":       {"owner@example.com", password, "javascript:alert(1)", 303, "/app"},
		"wrong password":             {"owner@example.com", "wrong", "", 422, ""},
		"unknown address":            {"nobody@example.com", password, "", 422, ""},
		"nothing typed":              {"", "", "", 422, ""},
		"something that is not text": {"owner@example.com\x00", password, "", 400, ""},
		"a password of no text":      {"owner@example.com", "\x00", "", 400, ""},
		"broken letters":             {"owner\xff@example.com", password, "", 400, ""},
		"staff are no customers":     {"clerk@example.com", password, "", 422, ""},
	} {
		b := h.browser(t)
		a := b.fill("/auth/sign-in", "/auth/sign-in", "email", c.email, "password", c.password, "next", c.next)
		if a.StatusCode != c.status || a.location() != c.location {
			t.Errorf("%s: %d to %q, want %d to %q", name, a.StatusCode, a.location(), c.status, c.location)
		}
		if in := b.get("/app").StatusCode == 200; in != (c.status == 303) {
			t.Errorf("%s: inside %v", name, in)
		}
	}
}

func TestSignIn_openRedirects(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	for _, next := range []string{"//evil", `/\evil`, "/%09/evil", "https:evil", "/..//evil", "http://evil", "/%5c%5cevil", "\t//evil"} {
		to, err := b.get("/auth/sign-in?next=" + url.QueryEscape(next)).Response.Location()
		if err != nil || to.Host != strings.TrimPrefix(h.url, "http://") {
			t.Errorf("next=%q leads to %v, %v", next, to, err)
		}
	}
}

// requestID is what differs between any two answers.
var requestID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

func TestNoEnumeration(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).checkout("owner@example.com")
	h.member(t)
	for path, known := range map[string]string{
		"/auth/sign-in": "owner@example.com", "/auth/forgot": "owner@example.com", "/auth/link": "owner@example.com",
		"/admin/auth/sign-in": "clerk@example.com",
	} {
		ask := func(email string) string {
			a := h.browser(t).post(path, "email", email, "password", "not the password 12")
			head := a.Header.Clone()
			head.Del("Date")
			head.Del("X-Request-Id")
			text := a.Status + a.text
			for k, v := range head {
				text += "\n" + k + strings.Join(v, ",")
			}
			return strings.Join(sorted(requestID.ReplaceAllString(strings.ReplaceAll(text, email, "EMAIL"), "")), "\n")
		}
		if a, b := ask(known), ask("other@example.com"); a != b {
			t.Errorf("%s answers differently to known and unknown:\n%s\n---\n%s", path, a, b)
		}
	}
}

func TestSignIn_triesAreCounted(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.browser(t).checkout("owner@example.com")
	b := h.browser(t)
	var last answer
	for range 11 {
		last = b.post("/auth/sign-in", "email", "owner@example.com", "password", "wrong")
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("11th try: %d, Retry-After %q", last.StatusCode, last.Header.Get("Retry-After"))
	}
	if a := b.post("/auth/sign-in", "email", "owner@example.com", "password", password); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("right password after that: %d", a.StatusCode)
	}
	h.pass(time.Minute)
	if a := b.post("/auth/sign-in", "email", "owner@example.com", "password", password); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a minute later: %d", a.StatusCode)
	}
}

func TestSignIn_freshness(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	token := b.get("/app/token").text
	if a := b.post("/app/risky", "csrf", token); a.StatusCode != 200 {
		t.Fatalf("fresh: %d", a.StatusCode)
	}
	h.pass(signin.FreshFor)
	a := b.post("/app/risky", "csrf", token)
	if a.location() != "/auth/sign-in?next=%2Fapp&again=1" {
		t.Fatalf("not fresh: %d to %q", a.StatusCode, a.location())
	}
	if b.get(a.location()).doc(t).Find("h1").Text() == b.get("/auth/signed-out").doc(t).Find("h1").Text() {
		t.Error("the page does not ask to sign in once more")
	}
	b.fill(a.location(), "/auth/sign-in", "email", "owner@example.com", "password", password)
	if a := b.post("/app/risky", "csrf", b.get("/app/token").text); a.StatusCode != 200 {
		t.Errorf("after signing in again: %d", a.StatusCode)
	}
}

func TestSignOut_endsHereOrEverywhere(t *testing.T) {
	t.Parallel()
	h := start(t)
	here, there := h.browser(t), h.browser(t)
	here.checkout("owner@example.com")
	there.post("/auth/sign-in", "email", "owner@example.com", "password", password)
	a := here.fill("/", "/auth/sign-out")
	if a.location() != "/auth/signed-out" || here.get("/app").StatusCode == 200 || there.get("/app").StatusCode != 200 {
		t.Errorf("signing out here: to %q", a.location())
	}
	here.post("/auth/sign-in", "email", "owner@example.com", "password", password)
	a = here.post("/auth/sign-out-everywhere", "csrf", here.get("/app/token").text)
	if a.StatusCode != 303 || here.get("/app").StatusCode == 200 || there.get("/app").StatusCode == 200 {
		t.Error("signing out everywhere left a sign-in")
	}
	if !strings.Contains(here.get(a.location()).text, "every browser") {
		t.Error("the page does not say how far it went")
	}
}

func TestForgot_andReset(t *testing.T) {
	t.Parallel()
	h := start(t)
	b, other := h.browser(t), h.browser(t)
	b.checkout("owner@example.com")
	h.asked = nil
	if a := other.fill("/auth/forgot", "/auth/forgot", "email", "owner@example.com"); a.location() != "/auth/forgot?sent=1" {
		t.Fatalf("forgot: %d to %q", a.StatusCode, a.location())
	}
	mail, ok := h.asked[0].(work.SendMail)
	if !ok || mail.Template != "reset" || mail.UserID != h.user(t) {
		t.Fatalf("queued %+v", h.asked)
	}
	l, err := h.accounts.Letter(t.Context(), mail)
	if err != nil {
		t.Fatal(err)
	}
	link := "/auth/reset/" + l.Token
	for range 3 { // mail programs open links by themselves
		if a := other.get(link); a.StatusCode != 200 {
			t.Fatalf("opening the link: %d", a.StatusCode)
		}
	}
	if a := other.fill(link, link, "password", "short"); a.StatusCode != 422 || a.doc(t).Find("input[aria-invalid=true]").Length() != 1 {
		t.Errorf("short password: %d", a.StatusCode)
	}
	a := other.fill(link, link, "password", "a new and longer one 1")
	if a.location() != "/auth/sign-in" || !strings.Contains(other.get("/auth/sign-in").text, "Your new password is saved") {
		t.Errorf("reset: %d to %q", a.StatusCode, a.location())
	}
	h.pass(time.Second) // the longest that a sign-in is believed
	if b.get("/app").StatusCode == 200 {
		t.Error("a sign-in outlived the password")
	}
	for _, again := range []answer{other.get(link), other.post(link, "password", "and yet another one 22")} {
		if again.StatusCode != http.StatusGone || again.doc(t).Find(`main a[href="/auth/forgot"]`).Length() != 1 {
			t.Errorf("used link: %d", again.StatusCode)
		}
	}
	if a := b.post("/auth/sign-in", "email", "owner@example.com", "password", "a new and longer one 1"); a.StatusCode != 303 {
		t.Errorf("new password: %d", a.StatusCode)
	}
}

func TestVerify_byAPressOnly(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	h.asked = nil
	if a := b.fill("/onboard", "/auth/verify"); a.location() != "/onboard" || !strings.Contains(b.get("/onboard").text, "on its way to owner@example.com") {
		t.Errorf("asking for a new link: %d to %q", a.StatusCode, a.location())
	}
	l, err := h.accounts.Letter(t.Context(), h.asked[0].(work.SendMail))
	if err != nil {
		t.Fatal(err)
	}
	link, stranger := "/auth/verify/"+l.Token, h.browser(t)
	for range 20 {
		stranger.get(link)
	}
	verified := func() (yes bool) {
		if err := h.db.Pool.QueryRow(t.Context(), "SELECT verified_at IS NOT NULL FROM users").Scan(&yes); err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if verified() {
		t.Fatal("opening the link confirmed the address")
	}
	if a := stranger.fill(link, link); a.StatusCode != 200 || !verified() {
		t.Errorf("pressing: %d", a.StatusCode)
	}
	if a := stranger.post(link); a.StatusCode != http.StatusGone {
		t.Errorf("used link: %d", a.StatusCode)
	}
	if strings.Contains(b.get("/onboard").text, "Please confirm") {
		t.Error("still asked to confirm")
	}
}

func sorted(text string) []string { return slices.Sorted(slices.Values(strings.Split(text, "\n"))) }
