package admin_test

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// TestSupport_often: the owner is not mailed without end.
func TestSupport_often(t *testing.T) {
	t.Parallel()
	h := start(t)
	page := "/admin/servers/" + string(h.beaten(t, "baker", false).ID) + "/support"
	key, err := wire.NewSigner()
	must(t, err)
	ask := url.Values{"purpose": {"The till shows an error."}, "hours": {"2"}, "what_files": {"1"}, "spki": {key.SPKI()}}
	for range 10 {
		if status, _ := h.send(t, h.staff, page, ask); status != http.StatusSeeOther {
			t.Fatalf("asked: %d", status)
		}
	}
	if status, text := h.send(t, h.staff, page, ask); status != http.StatusTooManyRequests || !strings.Contains(text, "Call them instead") {
		t.Errorf("asked once more: %d, %.300s", status, text)
	}
}

// TestSupport: one of the staff asks with a key of their browser and the owner is mailed; while the window is open, the page says for
// how long and offers what it is for, to them alone; closing it ends that.
func TestSupport(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.beaten(t, "baker", false)
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE users SET verified_at = now() WHERE customer_id = $1", string(srv.CustomerID))
	must(t, err)
	page := "/admin/servers/" + string(srv.ID) + "/support"
	if lead := h.doc(t, h.staff, "/admin/servers/"+string(srv.ID)).Find("#support a").AttrOr("href", ""); lead != page {
		t.Errorf("the page of the server leads to %q", lead)
	}
	holds(t, "with no window", h.doc(t, h.staff, page).Find("main").Text(), []string{"Nobody has asked", "Ask the owner"},
		[]string{"You look at"})

	key, err := wire.NewSigner()
	must(t, err)
	ask := url.Values{
		"purpose": {"The till shows an error."}, "hours": {"2"}, "what_files": {"1"}, "what_logs": {"1"},
		"spki": {key.SPKI()},
	}
	for name, bad := range map[string]url.Values{
		"no purpose": {"purpose": {" "}}, "for a week": {"hours": {"168"}}, "no key": {"spki": {""}},
		"nothing": {"what_files": {""}, "what_logs": {""}},
	} {
		form := maps.Clone(ask)
		maps.Copy(form, bad)
		if status, text := h.send(t, h.staff, page, form); status != http.StatusUnprocessableEntity || !strings.Contains(text,
			`role="alert"`) {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _ := h.send(t, h.staff, page, ask); status != http.StatusSeeOther {
		t.Fatalf("asked: %d", status)
	}
	h.mu.Lock()
	var mailed int
	for _, item := range h.queued {
		if m, ok := item.(work.SendMail); ok && m.Template == "support_ask" {
			mailed++
		}
	}
	h.mu.Unlock()
	if mailed != 1 {
		t.Errorf("%d letters", mailed)
	}
	asked := h.doc(t, h.staff, page)
	holds(t, "while it waits", asked.Find("#asked").Text(), []string{"The till shows an error.", "Withdraw"}, nil)
	if other := h.doc(t, h.manager, page); other.Find("#asked").Length() != 0 || !strings.Contains(other.Find("#windows").Text(),
		"clerk@example.com") {
		t.Error("another of the staff is offered what one asked for")
	}

	w := h.opened(t, srv.ID, asked.Find("#asked form").AttrOr("action", ""))
	open := h.doc(t, h.staff, page)
	holds(t, "open", open.Find("main").Text(), []string{"You look at the content of", "Files", "Containers"}, []string{"Conversations"})
	if part := open.Find("[data-support]"); part.AttrOr("data-support-key", "") != key.KeyID || part.AttrOr("data-window", "") != w {
		t.Error("the page does not name the window and its key")
	}
	if h.doc(t, h.manager, page).Find("[data-support]").Length() != 0 {
		t.Error("another of the staff is offered to look")
	}
	look := url.Values{"ask": {`{"see":"files"}`}, "box_key": {"x"}}
	if status, text := h.send(t, h.manager, page+"/"+w+"/look", look); status != http.StatusForbidden || !strings.Contains(text,
		"somebody else") {
		t.Errorf("another of the staff looks: %d", status)
	}
	if status, _ := h.send(t, h.staff, page+"/"+w+"/look",
		url.Values{"ask": {`{"see":"files","more":1}`}}); status != http.StatusUnprocessableEntity {
		t.Errorf("what cannot be read: %d", status)
	}
	if status, _ := h.send(t, h.staff, page+"/"+w+"/look", look); status != http.StatusServiceUnavailable {
		t.Errorf("a server that is away: %d", status)
	}
	if status, _ := h.send(t, h.staff, page+"/"+w+"/leave", nil); status != http.StatusSeeOther {
		t.Errorf("closed: %d", status)
	}
	if status, text := h.send(t, h.staff, page+"/"+w+"/look", look); status != http.StatusConflict || !strings.Contains(text,
		"not open any more") {
		t.Errorf("after it was closed: %d", status)
	}
	holds(t, "its lines", h.doc(t, h.staff, page+"?window="+w).Find("#lines").Text(), []string{"Looked at a folder", "Refused"}, nil)
}

// send sends a form as a browser does, and reads what comes back.
func (h *hub) send(t *testing.T, secret, path string, form url.Values) (status int, text string) {
	t.Helper()
	sent := url.Values{"csrf": {h.token(t, secret)}}
	maps.Copy(sent, form)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, strings.NewReader(sent.Encode()))
	must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cookie", "sid="+secret+"; ssid="+secret)
	res, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(raw)
}

// opened is the id of the window whose form that is, after the server has said that it is open.
func (h *hub) opened(t *testing.T, id server.ID, form string) string {
	t.Helper()
	parts := strings.Split(form, "/")
	w := parts[len(parts)-2]
	now := time.Now().UTC()
	must(t, h.support.Report(t.Context(), id, wire.SupportState{ID: w, OpenedAt: now, Until: now.Add(2 * time.Hour)}))
	return w
}
