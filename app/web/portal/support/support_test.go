package support_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/support"
	"gatehouse/app/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

const list = "/app/server/support"

// asking has one of the staff ask for a window of three hours.
func asking(t *testing.T, h *portaltest.Hub, of portaltest.Customer, email string) support.Window {
	t.Helper()
	_, who := h.ClerkOf(t, email, "SUPPORT")
	w, err := h.Support.Ask(t.Context(), of.Server, support.Request{
		Purpose: "The till shows an error.", Hours: 3, What: []wire.SupportKind{wire.SupportFiles}, Kind: wire.BrowserKey,
		SPKI: portaltest.NewSigner().SPKI(),
	}, who)
	portaltest.Must(t, err)
	return w
}

// serving answers as a server does that takes every window, and keeps what it was sent.
func serving(t *testing.T, p *portaltest.Peer) *[]wire.SupportOpen {
	t.Helper()
	var got []wire.SupportOpen
	p.Also = func(_ context.Context, m wire.Method, params json.RawMessage) (any, error) {
		switch m {
		case wire.MethodSupportOpen:
			var o wire.SupportOpen
			portaltest.Must(t, json.Unmarshal(params, &o))
			if o.Signature == nil {
				return nil, &wire.RPCError{Code: "signature_required", Text: "A device that may approve must sign this."}
			}
			got = append(got, o)
			now := time.Now().UTC()
			return wire.SupportState{ID: o.Body.ID, OpenedAt: now, Until: now.Add(time.Duration(o.Body.Hours) * time.Hour)}, nil
		case wire.MethodSupportLooks:
			return wire.SupportLooks{Items: []wire.SupportSeen{{
				SupportLine: wire.SupportLine{
					ID: portaltest.NewID(), Staff: "support@gatehouse.example", See: wire.SeeFile,
					At: time.Now().UTC(),
				},
				Name: "books/2026.csv",
			}}}, nil
		}
		return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
	}
	return &got
}

const signature = `{"key_id":"k","time":"2026-03-01T12:00:00Z","sig":"s"}`

// TestSupport_opened: the owner reads who asks for what, opens the window with a signature alone, sees each look by name, and closes
// the window with a plain form; the server is told.
func TestSupport_opened(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	got := serving(t, p)
	b := h.Owner(t, of)
	if text := b.Get(list).Find("main").Text(); !strings.Contains(text, "Nobody can look at your server") {
		t.Errorf("with no window the page says %s", text)
	}
	w := asking(t, h, of, "support@gatehouse.example")
	if text := b.Get("/app").Find("#home").Text(); !strings.Contains(text, "One of our staff asks to look at your server") {
		t.Errorf("the first page says %s", text)
	}
	page := b.Get(list)
	portaltest.WantSound(t, list, page.Document)
	ask := page.Find("#ask-" + w.ID)
	for _, want := range []string{"support@gatehouse.example", "The till shows an error.", "3 hours", "Files"} {
		if !strings.Contains(ask.Text(), want) {
			t.Errorf("the owner does not read %q in %s", want, ask.Text())
		}
	}
	form := ask.Find("form[data-change='support.open'][data-always]")
	var body wire.SupportBody
	portaltest.Must(t, json.Unmarshal([]byte(form.AttrOr("data-change-body", "")), &body))
	if body.ID != w.ID || body.Hours != 3 || len(body.Staff) != 1 || body.Staff[0].SPKI != w.SPKI {
		t.Errorf("signed would be %+v", body)
	}
	if res := b.Post(form.AttrOr("action", ""), url.Values{"version": {"1"}}); res.StatusCode != http.StatusForbidden || len(*got) != 0 {
		t.Errorf("without a signature: %d", res.StatusCode)
	}
	if res := b.Post(form.AttrOr("action", ""), url.Values{
		"version":   {"1"},
		"signature": {signature},
	}); res.StatusCode != http.StatusSeeOther || len(*got) != 1 {
		t.Fatalf("opened: %d, %s", res.StatusCode, res.Find("main").Text())
	}
	page = b.Get(list)
	portaltest.WantSound(t, list, page.Document)
	if open := page.Find("#open-" + w.ID); !strings.Contains(open.Text(), "can look at your server now") ||
		open.Find("form[data-change]").Length() != 0 {
		t.Errorf("open: %s", open.Text())
	}
	one := b.Get(list + "/" + w.ID)
	portaltest.WantSound(t, "one window", one.Document)
	if text := one.Find("#looks").Text(); !strings.Contains(text, "Looked at a file") || !strings.Contains(text, "books/2026.csv") {
		t.Errorf("looks: %s", text)
	}
	if res := b.Post(list+"/"+w.ID+"/close", url.Values{}); res.StatusCode != http.StatusSeeOther {
		t.Errorf("closed: %d", res.StatusCode)
	}
	if text := b.Get(list).Find("#past").Text(); !strings.Contains(text, "Closed") {
		t.Errorf("past: %s", text)
	}
	var frames int
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(),
		"SELECT count(*) FROM link_out WHERE server_id = $1 AND type = 'support.close'", string(of.Server)).Scan(&frames))
	if frames != 1 {
		t.Errorf("%d frames tell the server", frames)
	}
	if res := b.Post(list+"/"+w.ID+"/close", url.Values{}); res.StatusCode != http.StatusConflict ||
		!strings.Contains(res.Find("main").Text(), "not waiting any more") {
		t.Errorf("closed again: %d", res.StatusCode)
	}
	p.Away(t)
	if text := b.Get(list + "/" + w.ID).Find("#looks").Text(); strings.Contains(text, "books/2026.csv") {
		t.Errorf("the hub knows what was looked at: %s", text)
	}
}

// TestSupport_lateOpen: the server has opened a window, its answer was lost, and the owner has sent the asker away meanwhile. The hub
// closes it there, carries no look, and does not take the late word of the server for an open window.
func TestSupport_lateOpen(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	var looked int
	p.Also = func(_ context.Context, m wire.Method, _ json.RawMessage) (any, error) {
		if m == wire.MethodChannelsList { // the first page asks who waits there
			return wire.ChannelsResult{}, nil
		}
		looked++
		return wire.SupportLooked{Box: []byte("sealed")}, nil
	}
	_, who := h.ClerkOf(t, "support@gatehouse.example", "SUPPORT")
	w, err := h.Support.Ask(t.Context(), of.Server, support.Request{
		Purpose: "The till shows an error.", Hours: 3, What: []wire.SupportKind{wire.SupportFiles}, Kind: wire.BrowserKey,
		SPKI: portaltest.NewSigner().SPKI(),
	}, who)
	portaltest.Must(t, err)
	if res := h.Owner(t, of).Post(list+"/"+w.ID+"/refuse", url.Values{}); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("refused: %d", res.StatusCode)
	}
	now := time.Now().UTC()
	state := wire.SupportState{ID: w.ID, OpenedAt: now, Until: now.Add(time.Hour)}
	portaltest.Must(t, h.Support.Store.Report(t.Context(), of.Server, state))
	if again, err := h.Support.Find(t.Context(), of.ID, w.ID); err != nil || again.State != support.Refused {
		t.Errorf("the window is %s, %v", again.State, err)
	}
	look := wire.SupportLook{Window: w.ID, Ask: wire.SupportAsk{See: wire.SeeFiles}}
	if _, err := h.Support.Look(t.Context(), of.Server, look, who); fault.Of(err).Kind != fault.Conflict || looked != 0 {
		t.Errorf("a look: %v, carried %d times", err, looked)
	}
	var frames int
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(),
		"SELECT count(*) FROM link_out WHERE server_id = $1 AND type = 'support.close'", string(of.Server)).Scan(&frames))
	if frames != 1 {
		t.Errorf("%d frames tell the server", frames)
	}
}

// TestSupport_refused: what is refused, or waits for longer than a day, cannot be opened; members only read.
func TestSupport_refused(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	got := serving(t, p)
	b, stranger := h.Owner(t, of), h.Owner(t, h.NewCustomer(t))
	w := asking(t, h, of, "support@gatehouse.example")
	open := func() url.Values { return url.Values{"version": {"1"}, "signature": {signature}} }
	for _, act := range []string{"/open", "/refuse", "/close"} {
		if res := stranger.Post(list+"/"+w.ID+act, open()); res.StatusCode != http.StatusNotFound {
			t.Errorf("a stranger, %s: %d", act, res.StatusCode)
		}
	}
	member := h.As(t, h.Member(t, of, "A member", account.Rights{Role: account.Member, Chat: true, Approve: true}))
	page := member.Get(list)
	if page.Find("#support form").Length() != 0 || !strings.Contains(page.Find("main").Text(), "The till shows an error.") {
		t.Errorf("a member reads %s", page.Find("main").Text())
	}
	if res := b.Post(list+"/"+w.ID+"/refuse", url.Values{}); res.StatusCode != http.StatusSeeOther {
		t.Errorf("refused: %d", res.StatusCode)
	}
	if res := b.Post(list+"/"+w.ID+"/open", open()); res.StatusCode != http.StatusConflict {
		t.Errorf("opened after that: %d", res.StatusCode)
	}
	late := asking(t, h, of, "other@gatehouse.example")
	_, err := h.DB.Pool.Exec(t.Context(), "UPDATE support_windows SET asked_at = now() - interval '25 hours' WHERE id = $1", late.ID)
	portaltest.Must(t, err)
	if res := b.Post(list+"/"+late.ID+"/open", open()); res.StatusCode != http.StatusConflict || len(*got) != 0 {
		t.Errorf("opened a day later: %d", res.StatusCode)
	}
	if text := b.Get(list).Find("#past").Text(); !strings.Contains(text, "Refused") || !strings.Contains(text, "Not answered in a day") {
		t.Errorf("past: %s", text)
	}
}
