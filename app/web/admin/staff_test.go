package admin_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/app/second"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// sends posts a form with the field of the sign-in, and gives where the answer leads and what it says.
func (h *hub) sends(t *testing.T, secret, path string, pairs ...string) (int, string) {
	t.Helper()
	form := url.Values{"csrf": {h.doc(t, secret, "/admin/profile").Find("form [name=csrf]").First().AttrOr("value", "")}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(form.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "ssid="+secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, res.Header.Get("Location") + string(text)
}

// wants posts a form that must be answered with that status.
func (h *hub) wants(t *testing.T, status int, secret, path string, pairs ...string) string {
	t.Helper()
	got, text := h.sends(t, secret, path, pairs...)
	if got != status {
		t.Errorf("%s %v: %d, want %d: %.300s", path, pairs, got, status, text)
	}
	return text
}

// stale is a sign-in that is older than what a fresh one may be.
func (h *hub) stale(t *testing.T, m staff.Member) string {
	t.Helper()
	desk := h.desk
	desk.Now = func() time.Time { return time.Now().Add(-signin.FreshFor - time.Minute) }
	_, secret, err := desk.Open(t.Context(), signin.Staff, signin.Subject{StaffID: string(m.ID)}, signin.Origin{}, "")
	must(t, err)
	return secret
}

func TestStaffPage(t *testing.T) {
	t.Parallel()
	h := start(t)
	owner, boss := h.joined(t, "boss@example.com", staff.Owner)
	_, admin := h.joined(t, "deputy@example.com", staff.Admin)
	_, text := h.get(t, boss, "/admin/staff")
	want := []string{"clerk@example.com", "manager@example.com", "Manager", "Set up", "Nobody is invited", `href="/admin/staff/invite"`}
	holds(t, "list", text, want, nil)
	if status, _ := h.get(t, h.manager, "/admin/staff"); status != http.StatusForbidden {
		t.Errorf("a manager reads the list: %d", status)
	}
	own := h.doc(t, boss, "/admin/staff/"+string(owner.ID))
	if own.Find("#role, #access").Length() != 0 || own.Find("main a[href='/admin/profile']").Length() != 1 {
		t.Error("the own page offers changes")
	}
	if d := h.doc(t, admin, "/admin/staff/"+string(owner.ID)); d.Find("#role, #access").Length() != 0 {
		t.Error("an admin is offered to change an owner")
	}
	h.wants(t, http.StatusForbidden, admin, "/admin/staff/"+string(owner.ID)+"/act", "act", "off")
	h.wants(t, http.StatusForbidden, boss, "/admin/staff/"+string(owner.ID)+"/act", "act", "role", "role", "SUPPORT")
	h.wants(t, http.StatusNotFound, boss, "/admin/staff/"+newID()+"/act", "act", "off")
	if status, _ := h.get(t, boss, "/admin/staff/x"); status != http.StatusNotFound {
		t.Errorf("no id: %d", status)
	}
}

func TestStaffPage_acts(t *testing.T) {
	t.Parallel()
	h := start(t)
	owner, boss := h.joined(t, "boss@example.com", staff.Owner)
	m, theirs := h.joined(t, "new@example.com", staff.Support)
	path := "/admin/staff/" + string(m.ID)
	act := path + "/act"
	h.wants(t, http.StatusUnprocessableEntity, boss, act, "act", "role", "role", "KING")
	h.wants(t, http.StatusUnprocessableEntity, boss, act, "act", "dance")
	h.wants(t, http.StatusSeeOther, boss, act, "act", "role", "role", "MANAGER")
	if status, _ := h.get(t, theirs, "/admin"); status != http.StatusSeeOther {
		t.Errorf("another role, and the sign-in goes on: %d", status)
	}
	holds(t, "member", h.as(t, boss, path), []string{"Manager", `value="off"`, `value="second"`}, []string{`value="on"`})
	h.wants(t, http.StatusSeeOther, boss, act, "act", "second")
	if item := h.queued[len(h.queued)-1].(work.SendMail); item.Template != staff.LetterSecond || item.UserID != string(m.ID) {
		t.Errorf("queued was %+v", item)
	}
	holds(t, "reset", h.as(t, boss, path), []string{"Waits to be set up", "Send the link again"}, nil)
	h.wants(t, http.StatusSeeOther, boss, act, "act", "sign_out")
	code := h.confirmed(t, boss, act, url.Values{"act": {"off"}}).Get("mailed_code")
	h.wants(t, http.StatusSeeOther, boss, act, "act", "off", "mailed_code", code)
	holds(t, "off", h.as(t, boss, path), []string{"is switched off", `value="on"`}, []string{`value="off"`})
	h.wants(t, http.StatusSeeOther, boss, act, "act", "on")
	if text := h.wants(t, http.StatusSeeOther, h.stale(t, owner), act, "act", "off"); !strings.Contains(text, "again=1") {
		t.Errorf("an old sign-in is led to %s", text)
	}
	if got, err := h.people.Find(t.Context(), m.ID); err != nil || !got.OffAt.IsZero() {
		t.Errorf("an old sign-in switched them off, %v", err)
	}
}

// as reads a page with somebody's sign-in.
func (h *hub) as(t *testing.T, secret, path string) string {
	t.Helper()
	status, text := h.get(t, secret, path)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %.300s", path, status, text)
	}
	return text
}

func TestInvite(t *testing.T) {
	t.Parallel()
	h := start(t)
	_, boss := h.joined(t, "boss@example.com", staff.Owner)
	_, admin := h.joined(t, "deputy@example.com", staff.Admin)
	d := h.doc(t, admin, "/admin/staff/invite")
	if d.Find("[name=role][value=OWNER]").Length() != 0 || d.Find("[name=role]").Length() != 3 {
		t.Error("an admin is offered to invite an owner")
	}
	h.wants(t, http.StatusForbidden, admin, "/admin/staff/invite", "email", "new@example.com", "role", "OWNER")
	for address, says := range map[string]string{"no": "Type one email address", "CLERK@example.com": "already has this address"} {
		text := h.wants(t, http.StatusUnprocessableEntity, boss, "/admin/staff/invite", "email", address, "role", "SUPPORT")
		holds(t, address, text, []string{says}, nil)
	}
	h.wants(t, http.StatusSeeOther, boss, "/admin/staff/invite", "email", "new@example.com", "role", "OWNER", "language", "de")
	all, err := h.people.Invitations(t.Context())
	must(t, err)
	if len(all) != 1 || all[0].Locale != "de" || all[0].ByName != "boss@example.com" {
		t.Fatalf("open are %+v", all)
	}
	holds(t, "pending", h.as(t, boss, "/admin/staff"), []string{"new@example.com", "On its way", `value="revoke"`}, nil)
	holds(t, "pending to an admin", h.as(t, admin, "/admin/staff"), []string{"new@example.com"}, []string{`value="revoke"`})
	h.wants(t, http.StatusForbidden, admin, "/admin/staff/invitation", "id", all[0].ID, "act", "revoke")
	h.wants(t, http.StatusSeeOther, boss, "/admin/staff/invitation", "id", all[0].ID, "act", "again")
	h.wants(t, http.StatusSeeOther, boss, "/admin/staff/invitation", "id", all[0].ID, "act", "revoke")
	h.wants(t, http.StatusNotFound, boss, "/admin/staff/invitation", "id", all[0].ID, "act", "again")
}

func TestProfile(t *testing.T) {
	t.Parallel()
	h := start(t)
	m, secret := h.joined(t, "new@example.com", staff.Support)
	_, other, err := h.desk.Open(t.Context(), signin.Staff, signin.Subject{StaffID: string(m.ID)}, signin.Origin{Address: "192.0.2.77"}, "")
	must(t, err)
	want := []string{"192.0.2.77", "This browser", "You have no backup codes", "Deutsch"}
	holds(t, "profile", h.as(t, secret, "/admin/profile"), want, nil)
	h.wants(t, http.StatusUnprocessableEntity, secret, "/admin/profile/name", "name", " ")
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/name", "name", "Some Body")
	h.wants(t, http.StatusUnprocessableEntity, secret, "/admin/profile/language", "language", "tlh")
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/language", "language", "de")
	holds(t, "in German", h.as(t, secret, "/admin/profile"), []string{"Ihr Profil", "Some Body"}, nil)
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/language", "language", "en")
	text := h.wants(t, http.StatusOK, secret, "/admin/profile/codes")
	if n := strings.Count(text, "<li><code>"); n != second.BackupCodes {
		t.Errorf("%d backup codes", n)
	}
	holds(t, "codes", h.as(t, secret, "/admin/profile"), []string{"10 backup codes are left"}, nil)
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/sign-ins")
	if status, _ := h.get(t, other, "/admin/profile"); status != http.StatusSeeOther {
		t.Errorf("the other sign-in goes on: %d", status)
	}
	text = h.wants(t, http.StatusUnprocessableEntity, secret, "/admin/profile/password", "old", "no", "new", "four quiet bakers at dawn")
	holds(t, "wrong password", text, []string{"This is not your password"}, nil)
	h.wants(t, http.StatusSeeOther, h.stale(t, m), "/admin/profile/codes") // to the sign-in
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/password", "old", password, "new", "four quiet bakers at dawn")
	if status, _ := h.get(t, secret, "/admin/profile"); status != http.StatusSeeOther {
		t.Errorf("the sign-in from before the new password goes on: %d", status)
	}
}

func TestProfile_anotherApp(t *testing.T) {
	t.Parallel()
	h := start(t)
	_, secret := h.joined(t, "new@example.com", staff.Support)
	if status, _ := h.get(t, secret, "/admin/profile/second"); status != http.StatusSeeOther {
		t.Errorf("nothing was started: %d", status)
	}
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/second")
	d := h.doc(t, secret, "/admin/profile/second")
	if d.Find("svg[role=img]").Length() != 1 {
		t.Error("no code to scan")
	}
	h.wants(t, http.StatusUnprocessableEntity, secret, "/admin/profile/second/confirm", "code", "000000")
	code, err := second.CodeAt(strings.ReplaceAll(d.Find("#app-key").Text(), " ", ""), h.desk.Now())
	must(t, err)
	h.wants(t, http.StatusSeeOther, secret, "/admin/profile/second/confirm", "code", code)
	if status, _ := h.get(t, secret, "/admin/profile"); status != http.StatusSeeOther {
		t.Errorf("the sign-in from before goes on: %d", status)
	}
}
