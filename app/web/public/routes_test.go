package public_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/app/web"
	"gatehouse/app/work"
)

// table is every route of the package with who it is for. A route that is new, gone, or for somebody else shows here
// first: it is reviewed, not discovered.
const table = `
GET  /                              anyone
GET  /pricing                       anyone
GET  /security                      anyone
GET  /status                        anyone
GET  /help                          anyone
GET  /help/:slug                    anyone
GET  /terms                         anyone
GET  /privacy                       anyone
GET  /imprint                       anyone
GET  /checkout/configure            anyone
GET  /checkout                      anyone
POST /checkout                      anyone
GET  /checkout/done                 customer
GET  /checkout/pay                  customer
POST /checkout/pay                  customer
GET  /checkout/return/:id           customer
GET  /onboard                       customer
GET  /onboard/stream                customer
GET  /onboard/enter                 customer
POST /onboard/name                  customer
POST /onboard/cancel                customer
POST /onboard/keep                  customer
GET  /auth/sign-in                  anyone
POST /auth/sign-in                  anyone
POST /auth/sign-out                 customer
POST /auth/sign-out-everywhere      customer
GET  /auth/signed-out               open
GET  /offline                       open
GET  /s/:id                         anyone
POST /s/:id/take                    open
POST /s/:id/open                    open
POST /s/:id/give                    open
POST /auth/passkey/begin            anyone
POST /auth/passkey                  anyone
POST /admin/auth/passkey/begin      open
POST /admin/auth/passkey            open
GET  /auth/second                   customer_half
POST /auth/second                   customer_half
POST /auth/second/sign-out          customer_half
GET  /auth/link                     anyone
POST /auth/link                     anyone
GET  /auth/link/:token              anyone
POST /auth/link/:token              anyone
GET  /auth/regain/:token            anyone
POST /auth/regain/:token            anyone
GET  /auth/forgot                   anyone
POST /auth/forgot                   anyone
GET  /auth/reset/:token             anyone
POST /auth/reset/:token             anyone
GET  /auth/invite/:token            anyone
POST /auth/invite/:token            anyone
GET  /auth/verify/:token            anyone
POST /auth/verify/:token            anyone
POST /auth/verify                   customer
GET  /admin/auth/sign-in            open
POST /admin/auth/sign-in            open
GET  /admin/auth/2fa                staff_pending
POST /admin/auth/2fa                staff_pending
POST /admin/auth/2fa/sign-out       staff_pending
GET  /admin/auth/2fa/backup         staff_pending
POST /admin/auth/2fa/backup         staff_pending
GET  /admin/auth/invite/:token      anyone
POST /admin/auth/invite/:token      anyone
GET  /admin/auth/second/:token      anyone
POST /admin/auth/second/:token      anyone
POST /admin/auth/sign-out           staff
POST /admin/auth/sign-out-everywhere staff
GET  /admin/auth/signed-out         open
`

func TestRoutes_audiences(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		f := strings.Fields(line)
		want[f[0]+" "+f[1]] = f[2]
	}
	h := start(t)
	own := h.own
	for _, r := range own {
		key := r.Method + " " + r.Path
		if want[key] != string(r.For) {
			t.Errorf("%s is for %q, the table says %q", key, r.For, want[key])
		}
		delete(want, key)
	}
	for key := range want {
		t.Errorf("%s stands in the table and is gone", key)
	}
}

// roles are browsers of everybody there is.
func (h *hub) roles(t *testing.T) map[string]*browser {
	t.Helper()
	_, second := h.member(t)
	all := map[string]*browser{"stranger": h.browser(t), "customer": h.browser(t), "staff": h.browser(t), "half-way staff": h.browser(t)}
	all["customer"].checkout("owner@example.com")
	for _, who := range []string{"staff", "half-way staff"} {
		all[who].post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	}
	if a := all["staff"].fill("/admin/auth/2fa", "/admin/auth/2fa", "code", h.code(t, second)); a.StatusCode != 303 {
		t.Fatalf("staff sign-in: %d", a.StatusCode)
	}
	h.newSecond(t, "half@example.com")
	all["half-way customer"] = h.browser(t)
	all["half-way customer"].post("/auth/sign-in", "email", "half@example.com", "password", password)
	return all
}

// opens says who each audience is for.
var opens = map[web.Audience]string{
	web.Customer: "customer", web.Staff: "staff", web.StaffPending: "half-way staff", web.CustomerHalf: "half-way customer",
}

func TestRoutes_everyRoleAtEveryDoor(t *testing.T) {
	t.Parallel()
	h := start(t)
	roles := h.roles(t)
	for _, r := range h.routes {
		if r.Method != http.MethodGet || r.Stream {
			continue // what changes something is below
		}
		for who, b := range roles {
			a := b.get(strings.ReplaceAll(r.Path, ":token", "unknown"))
			owner, private := opens[r.For]
			refused := strings.HasPrefix(a.location(), "/auth/sign-in") || strings.HasPrefix(a.location(), "/admin/auth/sign-in")
			if private && refused == (who == owner) {
				t.Errorf("%s %s as %s: %d to %q", r.Method, r.Path, who, a.StatusCode, a.location())
			}
			if !private && (refused || a.StatusCode >= 500) {
				t.Errorf("%s %s as %s: %d to %q", r.Method, r.Path, who, a.StatusCode, a.location())
			}
			if store := a.Header.Get("Cache-Control"); private && store != "no-store" {
				t.Errorf("%s as %s may be stored: %q", r.Path, who, store)
			}
			if a.Header.Get("Content-Security-Policy") == "" || a.Header.Get("X-Content-Type-Options") == "" {
				t.Errorf("%s as %s lacks security headers", r.Path, who)
			}
		}
	}
}

// fingerprint is the content of every table that a request could change.
func (h *hub) fingerprint(t *testing.T) string {
	t.Helper()
	var sum string
	err := h.db.Pool.QueryRow(t.Context(), `SELECT md5(
		(SELECT coalesce(string_agg(s::text, '|' ORDER BY id), '') FROM signins s) || (SELECT coalesce(string_agg(u::text, '|' ORDER BY id), '') FROM users u) ||
		(SELECT coalesce(string_agg(o::text, '|' ORDER BY id), '') FROM orders o) || (SELECT coalesce(string_agg(c::text, '|' ORDER BY id), '') FROM customers c) ||
		(SELECT coalesce(string_agg(m::text, '|' ORDER BY hash), '') FROM mail_links m) || (SELECT coalesce(string_agg(f::text, '|' ORDER BY id), '') FROM staff f))`).Scan(&sum)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestRoutes_nothingChangesFromAnotherSite(t *testing.T) {
	t.Parallel()
	h := start(t)
	roles := h.roles(t)
	l, err := h.accounts.Letter(t.Context(), work.SendMail{Template: "reset", UserID: h.user(t)})
	if err != nil {
		t.Fatal(err)
	}
	before := h.fingerprint(t)
	for _, r := range h.routes {
		if r.Method == http.MethodGet {
			continue
		}
		for who, b := range roles {
			for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"} {
				body := form([]string{"email", "owner@example.com", "password", password, "plan", "lite", "code", "000000"}).Encode()
				req, err := http.NewRequestWithContext(t.Context(), r.Method, h.url+strings.ReplaceAll(r.Path, ":token", l.Token), strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				req.Header.Set(name, value)
				if a := b.send(req); a.StatusCode != http.StatusForbidden {
					t.Errorf("%s %s as %s with %s: %d, want 403", r.Method, r.Path, who, name, a.StatusCode)
				}
			}
		}
	}
	if h.fingerprint(t) != before {
		t.Error("a request of another site changed something")
	}
}

func TestRoutes_signedInFormsNeedTheirField(t *testing.T) {
	t.Parallel()
	h := start(t)
	roles := h.roles(t)
	for _, r := range h.routes {
		who, private := opens[r.For]
		if r.Method == http.MethodGet || !private {
			continue
		}
		before := h.fingerprint(t)
		for _, token := range []string{"", "forged"} {
			if a := roles[who].post(r.Path, "csrf", token); a.StatusCode != http.StatusForbidden {
				t.Errorf("%s as %s with field %q: %d, want 403", r.Path, who, token, a.StatusCode)
			}
		}
		if h.fingerprint(t) != before {
			t.Errorf("%s changed something without the field", r.Path)
		}
	}
}

func TestRoutes_readingChangesNothing(t *testing.T) {
	t.Parallel()
	h := start(t)
	roles := h.roles(t)
	before := h.fingerprint(t)
	for _, r := range h.routes {
		if r.Method != http.MethodGet || r.Stream {
			continue
		}
		for _, b := range roles {
			b.get(strings.ReplaceAll(r.Path, ":token", "unknown"))
		}
	}
	if h.fingerprint(t) != before {
		t.Error("a GET changed something")
	}
}

// outs are where those who are signed in sign out.
var outs = map[string]string{"customer": "/auth/sign-out", "staff": "/admin/auth/sign-out"}

// withoutWayOut are the pages that show whoever is signed in no way out, each with why.
var withoutWayOut = map[string]string{
	"/auth/signed-out":       "says that one is out",
	"/offline":               "a browser keeps it, whoever is signed in there",
	"/admin/auth/sign-in":    "the same for everybody: who signs in here is signed in anew",
	"/admin/auth/signed-out": "says that one is out",
}

func TestPages_areWhole(t *testing.T) {
	t.Parallel()
	h := start(t)
	roles := h.roles(t)
	for _, r := range h.own {
		if r.Method != http.MethodGet || r.Stream {
			continue
		}
		h.pass(time.Minute) // links that do not exist may be tried so often a minute
		for who, b := range roles {
			a := b.get(strings.ReplaceAll(r.Path, ":token", "unknown"))
			if a.location() != "" {
				continue
			}
			doc := a.doc(t)
			for what, n := range map[string]int{"h1": doc.Find("h1").Length(), "main": doc.Find("main").Length(), "title": doc.Find("head title").Length()} {
				if n != 1 {
					t.Errorf("%s as %s has %d %s", r.Path, who, n, what)
				}
			}
			if _, none := withoutWayOut[r.Path]; outs[who] != "" && (doc.Find("form[method=post][action='"+outs[who]+"'] [name=csrf]").Length() == 0) != none {
				t.Errorf("%s as %s: a way out: %t, want %t", r.Path, who, none, !none)
			}
			if n := doc.Find("[style], script:not([src]), [onclick], [onload]").Length(); n != 0 {
				t.Errorf("%s as %s has %d inline styles or scripts", r.Path, who, n)
			}
			if strings.Contains(a.text, "⟦") {
				t.Errorf("%s as %s lacks words: %s", r.Path, who, a.text[strings.Index(a.text, "⟦"):][:60])
			}
		}
	}
}

// answered is how each form says what is true once it was sent: by a notice on the next page, or by the page itself.
var answered = map[string]string{
	"/checkout": "the page of the order", "/checkout/pay": "the page of payment, or the same page with what is wrong",
	"/onboard/name":   "the same page, with what the name servers say or what is wrong",
	"/onboard/cancel": "the same page, which says that the order ends and offers to stay", "/onboard/keep": "the same page",
	"/auth/sign-in": "the portal", "/auth/sign-out": "the page of being signed out",
	"/auth/sign-out-everywhere": "the same page", "/auth/forgot": "the same form says that a mail is on its way",
	"/auth/passkey": "the portal", "/auth/passkey/begin": "asked by the script, which goes on",
	"/admin/auth/passkey": "the console", "/admin/auth/passkey/begin": "asked by the script, which goes on",
	"/auth/second": "the portal, or a notice on it", "/auth/second/sign-out": "the page of being signed out",
	"/auth/regain/:token": "its own page",
	"/auth/link":          "a page that says it", "/auth/link/:token": "the portal",
	"/auth/reset/:token": "a notice", "/auth/verify/:token": "its own page", "/auth/verify": "a notice",
	"/auth/invite/:token": "a notice on the portal", "/s/:id/take": "the script shows the value",
	"/s/:id/open": "asked by the script, which goes on", "/s/:id/give": "the script says it",
	"/admin/auth/sign-in": "the second factor is asked", "/admin/auth/2fa": "the console", "/admin/auth/2fa/sign-out": "the sign-in",
	"/admin/auth/2fa/backup": "a notice", "/admin/auth/invite/:token": "the page of the backup codes",
	"/admin/auth/second/:token": "the page of the backup codes",
	"/admin/auth/sign-out":      "the page of being signed out", "/admin/auth/sign-out-everywhere": "the same page",
}

// TestRoutes_formsSayWhatIsTrueNow: a new form says how its reader learns what became of it.
func TestRoutes_formsSayWhatIsTrueNow(t *testing.T) {
	t.Parallel()
	h := start(t)
	left := maps.Clone(answered)
	for _, r := range h.own {
		if r.Method != http.MethodPost {
			continue
		}
		if answered[r.Path] == "" {
			t.Errorf("POST %s is not listed: what does its reader learn?", r.Path)
		}
		delete(left, r.Path)
	}
	for path := range left {
		t.Errorf("POST %s is listed and is gone", path)
	}
}
