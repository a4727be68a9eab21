package people_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/account"
	"gatehouse/app/web/portal/portaltest"
)

const page = "/app/settings/people"

func TestPeople_invite(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	if got := b.Get(page); got.Find("#invite-form").Length() != 0 || got.Find("#invite form[action='/auth/verify']").Length() != 1 {
		t.Error("whoever has not confirmed their address is not led to do so before they invite")
	}
	if got := b.Post(page, url.Values{"email": {"baker@example.com"}, "may": {"chat"}}); got.StatusCode != http.StatusForbidden {
		t.Errorf("an unproven address invited: %d", got.StatusCode)
	}
	h.Prove(t, of)
	for email, may := range map[string]string{"no address": "chat", "a@example.com": "owner", of.Email: "chat"} {
		got := b.Post(page, url.Values{"email": {email}, "may": {may}})
		if got.StatusCode != http.StatusUnprocessableEntity || got.Find("#f-email").AttrOr("value", "") != email {
			t.Errorf("%s, %s: %d", email, may, got.StatusCode)
		}
	}
	if got := b.Post(page, url.Values{"email": {"baker@example.com"}, "may": {"both"}}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("an invitation: %d", got.StatusCode)
	}
	got := b.Get(page)
	if !strings.Contains(got.Find("[data-toast]").Text(), "baker@example.com") || got.Find("[data-invitation]").Length() != 1 {
		t.Errorf("the page shows %q", got.Find("#invited").Text())
	}
	portaltest.WantSound(t, page, got.Document)
	b.Post(got.Find("[data-invitation] form[action$=again]").AttrOr("action", ""), url.Values{})
	got = b.Get(page)
	again := got.Find("[data-invitation] form[action$=revoke]")
	if again.Length() != 1 || !strings.Contains(got.Find("[data-toast]").Text(), "The earlier one no longer works") {
		t.Fatalf("sent again, it stands there %d times, and the page says %q", again.Length(), got.Find("[data-toast]").Text())
	}
	b.Post(again.AttrOr("action", ""), url.Values{})
	if b.Get(page).Find("[data-invitation]").Length() != 0 {
		t.Error("a withdrawn invitation is listed")
	}
}

// TestPeople_rights: what an owner changes holds at once, and whoever may do less is signed out.
func TestPeople_rights(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Demo(t, of)
	m := h.Member(t, of, "A baker", account.Rights{Role: account.Member, Chat: true})
	b, theirs := h.Owner(t, of), h.As(t, m)
	if got := theirs.Get("/app/permissions"); got.StatusCode != http.StatusForbidden ||
		!strings.Contains(got.Find("main").Text(), "Ask an owner") {
		t.Errorf("a member opens the rules: %d", got.StatusCode)
	}
	if got := theirs.Get("/app"); got.Find("[data-rights]").Length() != 1 || got.Find("nav a[href='/app/permissions']").Length() != 0 {
		t.Error("the page of a member does not say what they may do, or leads to the rules")
	}
	one := page + "/" + string(m.ID)
	portaltest.WantSound(t, one, b.Get(one).Document)
	if got := b.Post(one, url.Values{"may": {"both"}}); got.StatusCode != http.StatusSeeOther ||
		!strings.Contains(b.Get(page).Find("[data-toast]").Text(), "A baker may talk") {
		t.Errorf("more rights: %d", got.StatusCode)
	}
	if got := theirs.Get("/app/settings/approvers"); got.StatusCode != http.StatusOK {
		t.Errorf("a right that was given does not hold at once: %d", got.StatusCode)
	}
	b.Post(one, url.Values{"may": {"approve"}})
	if got := theirs.Get("/app/chat"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("whoever may do less stays signed in: %d", got.StatusCode)
	}
	if got := h.As(t, m).Get("/app/chat"); got.StatusCode != http.StatusForbidden {
		t.Errorf("a right that was taken away holds: %d", got.StatusCode)
	}
	self := page + "/" + string(of.User)
	if got := b.Post(self, url.Values{"may": {"look"}}); got.StatusCode != http.StatusConflict {
		t.Errorf("the only owner became a member: %d", got.StatusCode)
	}
	old := h.Owner(t, of)
	_, err := h.DB.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = fresh_at - interval '11 minutes'")
	portaltest.Must(t, err)
	if got := old.Post(one, url.Values{"may": {"owner"}}); !strings.HasPrefix(got.Header.Get("Location"), "/auth/sign-in") {
		t.Errorf("an owner was made from an old sign-in: %d", got.StatusCode)
	}
}

// TestPeople_remove: whoever is removed is out at once, and their open pages end.
func TestPeople_remove(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Demo(t, of)
	m := h.Member(t, of, "A baker", account.Rights{Role: account.Member, Chat: true, Approve: true})
	b, theirs := h.Owner(t, of), h.As(t, m)
	live := theirs.Get("/app").Live()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+live, nil)
	portaltest.Must(t, err)
	stream, err := theirs.Do(r)
	portaltest.Must(t, err)
	defer stream.Body.Close()
	if got := b.Post(page+"/"+string(m.ID)+"/remove", url.Values{}); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("removing: %d", got.StatusCode)
	}
	for buf := make([]byte, 1<<12); ; { // ends with the stream
		if _, err := stream.Body.Read(buf); err != nil {
			break
		}
	}
	if got := theirs.Get("/app"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("who was removed reads on: %d", got.StatusCode)
	}
	got := b.Get(page)
	if got.Find("[data-person]").Length() != 1 || !strings.Contains(got.Find("[data-toast]").Text(), "no longer belongs") {
		t.Errorf("the page shows %q", got.Find("#people").Text())
	}
}

func TestPeople_leave(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.As(t, h.Member(t, of, "A baker", account.Rights{Role: account.Member}))
	portaltest.WantSound(t, page+"/leave", b.Get(page+"/leave").Document)
	if got := b.Post(page+"/leave", url.Values{}); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/auth/sign-in" {
		t.Errorf("leaving: %d to %s", got.StatusCode, got.Header.Get("Location"))
	}
	if got := b.Get("/app"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("who has left reads on: %d", got.StatusCode)
	}
	o := h.Owner(t, of)
	if got := o.Get(page + "/leave"); got.Find("form[action='"+page+"/leave']").Length() != 0 {
		t.Error("the only owner is offered to leave")
	}
	if got := o.Post(page+"/leave", url.Values{}); got.StatusCode != http.StatusConflict {
		t.Errorf("the only owner left: %d", got.StatusCode)
	}
}
