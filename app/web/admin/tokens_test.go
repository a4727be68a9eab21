package admin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/signin"
	"gatehouse/db"
)

// keyMade has somebody make an access key on their page, and returns it.
func (h *hub) keyMade(t *testing.T, secret, name, life string) string {
	t.Helper()
	status, text := h.submit(t, secret, "/admin/tokens/new", url.Values{"name": {name}, "life": {life}})
	d, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	must(t, err)
	key := d.Find("#own .codeblock code").Text()
	if status != http.StatusOK || !strings.HasPrefix(key, "gth_") {
		t.Fatalf("no key was made: %d %s", status, d.Find("main").Text())
	}
	return key
}

// submit sends a form of the console and reads what comes.
func (h *hub) submit(t *testing.T, secret, path string, form url.Values) (int, string) {
	t.Helper()
	form.Set("csrf", h.token(t, secret))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(form.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "ssid="+secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(b)
}

func (h *hub) bears(t *testing.T, key string) (account.Bearer, error) {
	t.Helper()
	return (&account.Tokens{Store: &db.Tokens{DB: h.db}, Now: h.tokens.Now}).Authenticate(t.Context(), key)
}

// TestTokens: somebody makes a key, which is shown once, acts in their present role, and ends when they say so.
func TestTokens(t *testing.T) {
	t.Parallel()
	h := start(t)
	key := h.keyMade(t, h.staff, "month's end", "30")
	d := h.doc(t, h.staff, "/admin/tokens")
	if text := d.Text(); strings.Contains(text, key) || !strings.Contains(text, "…"+key[len(key)-4:]) || !strings.Contains(text,
		"never used") {
		t.Errorf("the list says %s", d.Find("#own").Text())
	}
	b, err := h.bears(t, key)
	must(t, err)
	if days := b.Token.ExpiresAt.Sub(b.Token.CreatedAt).Hours() / 24; b.Role != "SUPPORT" || b.Token.Scope != account.ScopeAdmin ||
		days != 30 {
		t.Errorf("the key is %+v for %g days", b, days)
	}
	_, err = h.db.Pool.Exec(t.Context(), "UPDATE staff SET role = 'ADMIN' WHERE email = 'clerk@example.com'")
	must(t, err)
	if b, err := h.bears(t, key); err != nil || b.Role != "ADMIN" {
		t.Errorf("with another role the key is %+v, %v", b, err)
	}
	again := signin.Subject{StaffID: b.Token.StaffID} // another role ended the sign-in
	_, h.staff, err = h.desk.Open(t.Context(), signin.Staff, again, signin.Origin{}, "")
	must(t, err)
	end := h.doc(t, h.staff, "/admin/tokens").Find("#own form").AttrOr("action", "")
	if status, to := h.post(t, h.staff, end, url.Values{"csrf": {h.token(t, h.staff)}}); status != http.StatusSeeOther ||
		to != "/admin/tokens" {
		t.Errorf("ended: %d, on to %s", status, to)
	}
	if _, err := h.bears(t, key); err == nil {
		t.Error("a key that was ended opens something")
	}
	if h.doc(t, h.staff, "/admin/tokens").Find("#own .token").Length() != 0 {
		t.Error("a key that was ended is listed")
	}
	all, err := (&db.Audit{DB: h.db}).Find(t.Context(), audit.Filter{By: "clerk@example.com"}, page.Ask{})
	must(t, err)
	if len(all.Items) != 2 || all.Items[0].Action != "token.revoke" || all.Items[1].Action != "token.issue" ||
		all.Items[0].About.Name != "month's end" {
		t.Errorf("on record: %+v", all.Items)
	}
}

// TestTokens_owner: a key ends with the account of its owner.
func TestTokens_owner(t *testing.T) {
	t.Parallel()
	h := start(t)
	key := h.keyMade(t, h.staff, "script", "365")
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE staff SET off_at = now() WHERE email = 'clerk@example.com'")
	must(t, err)
	if _, err := h.bears(t, key); err == nil {
		t.Error("the key of somebody who was switched off opens something")
	}
	if h.doc(t, h.admin, "/admin/tokens").Find("#others .token").Length() != 0 {
		t.Error("it is listed")
	}
}

// TestTokens_refused: what does not fit is said beside its field, and nothing is made; an old sign-in has to be renewed first.
func TestTokens_refused(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, form := range []url.Values{
		{"name": {""}, "life": {"30"}},
		{"name": {"x"}, "life": {"31"}},
		{"name": {"x"}, "life": {"forever"}},
		{"name": {strings.Repeat("x", 61)}, "life": {"30"}},
	} {
		if status, text := h.submit(t, h.staff, "/admin/tokens/new", form); status != http.StatusUnprocessableEntity ||
			!strings.Contains(text, "data-invalid") {
			t.Errorf("%v: %d", form, status)
		}
	}
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = fresh_at - interval '11 minutes'")
	must(t, err)
	form := url.Values{"csrf": {h.token(t, h.manager)}, "name": {"x"}, "life": {"30"}} // whose sign-in was not read before
	if _, to := h.post(t, h.manager, "/admin/tokens/new", form); to != "/admin/auth/sign-in?next=%2Fadmin%2Ftokens&again=1" {
		t.Errorf("from an old sign-in: on to %q", to)
	}
	var n int
	must(t, h.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM api_tokens").Scan(&n))
	if n != 0 {
		t.Errorf("%d keys were made", n)
	}
}

// TestTokens_others: those who manage staff see everybody's keys and end them, except those of owners, which owners end; to
// others they are not there.
func TestTokens_others(t *testing.T) {
	t.Parallel()
	h := start(t)
	key := h.keyMade(t, h.staff, "clerk's", "90")
	owners := h.keyMade(t, h.owner, "owner's", "90")
	ids := map[string]string{}
	for _, k := range []string{key, owners} {
		b, err := h.bears(t, k)
		must(t, err)
		ids[k] = fmt.Sprintf("/admin/tokens/%s/revoke", b.Token.ID)
	}
	for who, c := range map[string]struct {
		secret   string
		sees     int
		may, not []string
	}{"a manager": {h.manager, 0, nil, []string{ids[key], ids[owners]}}, "an admin": {
		h.admin, 2,
		[]string{ids[key]},
		[]string{ids[owners]},
	}, "an owner": {h.owner, 1, []string{ids[key]}, nil}} {
		d := h.doc(t, c.secret, "/admin/tokens")
		if n := d.Find("#others .token").Length(); n != c.sees {
			t.Errorf("%s sees %d keys of others", who, n)
		}
		for _, path := range c.may {
			if d.Find(`#others form[action="`+path+`"]`).Length() != 1 {
				t.Errorf("%s cannot end %s", who, path)
			}
		}
		for _, path := range c.not {
			status, _ := h.post(t, c.secret, path, url.Values{"csrf": {h.token(t, c.secret)}})
			if d.Find(`form[action="`+path+`"]`).Length() != 0 || status != http.StatusNotFound && status != http.StatusForbidden {
				t.Errorf("%s ends %s: %d", who, path, status)
			}
		}
	}
	if status, _ := h.post(t, h.admin, ids[key], url.Values{"csrf": {h.token(t, h.admin)}}); status != http.StatusSeeOther {
		t.Errorf("an admin ends it: %d", status)
	}
	if _, err := h.bears(t, key); err == nil {
		t.Error("it still opens something")
	}
	if _, err := h.bears(t, owners); err != nil {
		t.Errorf("the owner's: %v", err)
	}
	all, err := (&db.Audit{DB: h.db}).Find(t.Context(), audit.Filter{Action: "token.revoke"}, page.Ask{})
	must(t, err)
	if len(all.Items) != 1 || all.Items[0].By.Name != "admin@example.com" || all.Items[0].Details["of"] != "clerk@example.com" {
		t.Errorf("on record: %+v", all.Items)
	}
}

// TestSaid: what is true now is told on the next page, once.
func TestSaid(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.keyMade(t, h.staff, "month's end", "30")
	end := h.doc(t, h.staff, "/admin/tokens").Find("#own form").AttrOr("action", "")
	holds(t, "the next page", h.toast(t, h.staff, end, url.Values{}), []string{"“month's end” was removed"}, nil)
}

// toast sends a form and gives what the page that it leads to says of it.
func (h *hub) toast(t *testing.T, secret, path string, form url.Values) string {
	t.Helper()
	form.Set("csrf", h.token(t, secret))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(form.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "ssid="+secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	must(t, res.Body.Close())
	next, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+res.Header.Get("Location"), nil)
	must(t, err)
	next.Header.Set("Cookie", "ssid="+secret)
	for _, c := range res.Cookies() {
		next.AddCookie(c)
	}
	res, err = http.DefaultTransport.RoundTrip(next)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	d, err := goquery.NewDocumentFromReader(res.Body)
	must(t, err)
	return d.Find("#flash").Text() + d.Find("noscript").Text()
}
