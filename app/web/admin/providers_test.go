package admin_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/provider/vpshost/netcup"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/providers"
	"gatehouse/app/staff"
	"gatehouse/db"
)

// providers are the providers of a hub whose account at netcup is a stand-in with three machines.
func (h *hub) providers(t testing.TB, keys *db.Keyring) *providers.Service {
	h.panel = netcuptest.New(t, 3)
	now := func() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }
	account := &netcup.Account{URL: h.panel.URL, Links: &db.NetcupLink{DB: h.db, Keys: keys}, Now: now}
	h.adopted = &db.Adopted{DB: h.db}
	h.atNetcup = &providers.Service{
		Account: account, Links: account.Links, Machines: h.adopted, Checks: &db.ProviderChecks{DB: h.db},
		Now: now, Key: func() bool { return false }, Codes: h.codes,
		Askers: map[string]providers.Asker{
			"netcup": func(ctx context.Context) (int, error) {
				all, err := account.Servers(ctx)
				return len(all), err
			},
		},
	}
	return h.atNetcup
}

// part is what a page fetches by itself.
func (h *hub) part(t *testing.T, path string) (body, leads string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, nil)
	must(t, err)
	r.Header.Set("HX-Request", "true")
	r.Header.Set("Cookie", "ssid="+h.owner)
	answer, err := http.DefaultTransport.RoundTrip(r)
	must(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %d", path, answer.StatusCode)
	}
	return string(text), answer.Header.Get("HX-Redirect")
}

const providersPage, netcupPath = "/admin/providers", "/admin/providers/netcup"

// do presses a button of the page.
func (h *hub) do(t *testing.T, act string) string {
	t.Helper()
	return h.toast(t, h.owner, netcupPath, url.Values{"act": {act}})
}

// TestProviders_connect: one of us connects netcup by its code, sees who did, and disconnects it again. The page asks netcup no more
// often than netcup wants.
func TestProviders_connect(t *testing.T) {
	t.Parallel()
	h := start(t)
	holds(t, "at first", h.doc(t, h.owner, providersPage).Text(),
		[]string{"Not connected", "No machine is adopted", "No token is set"}, []string{"ABCD-EFGH", "Disconnect"})
	h.do(t, "connect")
	page := h.doc(t, h.owner, providersPage)
	holds(t, "asked", page.Text(), []string{"Say yes at netcup", "ABCD-EFGH"}, []string{"Disconnect"})
	ask := page.Find("#netcup-ask")
	if got, _ := ask.Attr("hx-trigger"); got != "every 5s" {
		t.Errorf("the page looks %q", got)
	}
	if link, _ := ask.Find("a.primary").Attr("href"); link != h.panel.URL+"/realms/scp/device?user_code=ABCD-EFGH" {
		t.Errorf("it leads to %q", link)
	}
	for range 3 {
		holds(t, "too early", firstOf(h.part(t, netcupPath)), []string{"ABCD-EFGH"}, nil)
	}
	if n := h.panel.Polls(); n != 0 {
		t.Errorf("netcup was asked %d times before its pause was over", n)
	}
	h.ahead.Store(int64(6 * time.Second))
	for range 3 {
		holds(t, "no answer yet", firstOf(h.part(t, netcupPath)), []string{"ABCD-EFGH"}, nil)
	}
	if n := h.panel.Polls(); n != 1 {
		t.Errorf("netcup was asked %d times within one pause", n)
	}
	h.panel.Approve()
	h.ahead.Store(int64(12 * time.Second))
	if _, leads := h.part(t, netcupPath); leads != providersPage {
		t.Errorf("connected, it leads to %q", leads)
	}
	holds(t, "connected", h.doc(t, h.owner, providersPage).Text(),
		[]string{netcuptest.Customer, "Connected by", "owner@example.org"}, []string{"ABCD-EFGH"})
	holds(t, "checked", h.toast(t, h.owner, providersPage+"/netcup/check", url.Values{}),
		[]string{"netcup: It answers. Machines in the account: 3."}, nil)
	holds(t, "disconnected", h.do(t, "disconnect"), []string{"Its access was ended there as well"}, nil)
	if h.panel.Lasting() {
		t.Error("netcup still takes the token")
	}
	h.wants(t, http.StatusConflict, h.owner, netcupPath, "act", "disconnect")
}

func firstOf(body, _ string) string { return body }

// TestProviders_notConnected: a code that was refused, ran out or was stopped says so, and a new one can be asked for.
func TestProviders_notConnected(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, c := range []struct {
		happens func()
		says    string
	}{
		{h.panel.Deny, "Somebody said no at netcup"},
		{h.panel.Expire, "The code ran out"},
		{func() { h.do(t, "stop") }, "The connection was stopped"},
	} {
		h.do(t, "connect")
		c.happens()
		h.ahead.Add(int64(6 * time.Second))
		if _, leads := h.part(t, netcupPath); leads != providersPage {
			t.Errorf("%s: it leads to %q", c.says, leads)
		}
		holds(t, c.says, h.doc(t, h.owner, providersPage).Text(), []string{c.says, "Not connected"}, []string{"ABCD-EFGH"})
	}
	h.panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: "/realms/", Status: 502})
	h.wants(t, http.StatusServiceUnavailable, h.owner, netcupPath, "act", "connect")
	h.do(t, "connect")
	h.panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: "/realms/", Status: 502})
	h.ahead.Add(int64(6 * time.Second))
	body, leads := h.part(t, netcupPath)
	holds(t, "away", body, []string{"netcup does not answer right now", "ABCD-EFGH"}, nil)
	if leads != "" {
		t.Errorf("away, it leads to %q", leads)
	}
	h.ahead.Add(int64(11 * time.Minute)) // nobody looked
	holds(t, "over", h.doc(t, h.owner, providersPage).Text(), []string{"The code ran out"}, nil)
}

// TestProviders_machines: machines are adopted, held back until somebody makes them available, and given up.
func TestProviders_machines(t *testing.T) {
	t.Parallel()
	h := start(t)
	others := netcupPath + "/others"
	holds(t, "not connected", firstOf(h.part(t, others)), []string{"netcup is not connected"}, nil)
	h.do(t, "connect")
	h.panel.Approve()
	h.ahead.Add(int64(6 * time.Second))
	h.part(t, netcupPath)
	holds(t, "others", firstOf(h.part(t, others)), []string{"v2202600000001", "v2202600000003", "RS 1000 G12", "Any plan"}, nil)
	number := strconv.FormatInt(h.panel.Servers()[0].ID, 10)
	adopted := h.toast(t, h.owner, netcupPath+"/adopt", url.Values{"number": {number}, "plan": {"build"}})
	holds(t, "adopted", adopted, []string{"v2202600000001 is adopted and held back"}, nil)
	h.wants(t, http.StatusConflict, h.owner, netcupPath+"/adopt", "number", number)
	holds(t, "the others", firstOf(h.part(t, others)), []string{"v2202600000002"}, []string{"v2202600000001"})
	at := netcupPath + "/machines/" + number
	for _, step := range [][2]string{{"free", "is available"}, {"hold", "is held back"}, {"free", "is available"}} {
		holds(t, step[0], h.toast(t, h.owner, at, url.Values{"act": {step[0]}}), []string{step[1]}, nil)
	}
	h.wants(t, http.StatusConflict, h.owner, at, "act", "free")
	m, err := h.adopted.Take(t.Context(), newID(), "eu", "build", time.Now())
	must(t, err)
	holds(t, "in use", h.doc(t, h.owner, providersPage).Text(), []string{"1 in use, 0 free", "Show the server"}, nil)
	for _, act := range []string{"hold", "wipe", "forget"} {
		h.wants(t, http.StatusConflict, h.owner, at, "act", act)
	}
	_, err = h.adopted.Change(t.Context(), m.ID, func(_ context.Context, m *providers.Machine) (*audit.Entry, error) {
		m.Move(providers.NeedsHands, time.Now())
		return nil, nil
	})
	must(t, err)
	holds(t, "hands", h.doc(t, h.owner, providersPage).Text(), []string{"Needs hands", "could not be wiped"}, nil)
	h.wiped(t, at)
	holds(t, "forget", h.toast(t, h.owner, at, url.Values{"act": {"forget"}}), []string{"was given up"}, nil)
	h.wants(t, http.StatusNotFound, h.owner, at, "act", "hold")
}

// wiped has a machine wiped, which asks for a fresh sign-in and a mailed code that is for this machine.
func (h *hub) wiped(t *testing.T, at string) {
	t.Helper()
	page := parsed(t, h.wants(t, http.StatusOK, h.owner, at, "act", "wipe"))
	holds(t, "the page", page.Find("main").Text(), []string{"Wipe the machine v2202600000001 at netcup"}, nil)
	if back, _ := page.Find("main a.btn").Attr("href"); back != providersPage {
		t.Errorf("back to %q", back)
	}
	h.wants(t, http.StatusUnprocessableEntity, h.owner, at, "act", "wipe", "mailed_code", "00000000")
	late, _ := h.joined(t, "late@example.com", staff.Owner)
	old := h.wants(t, http.StatusSeeOther, h.stale(t, late), at, "act", "wipe")
	holds(t, "an old sign-in", old, []string{"again=1"}, nil)
	if all, err := h.adopted.List(t.Context()); err != nil || all[0].State != providers.NeedsHands {
		t.Errorf("without the code: %+v, %v", all, err)
	}
	form := h.confirmed(t, h.owner, at, url.Values{"act": {"wipe"}})
	holds(t, "wipe", h.toast(t, h.owner, at, form), []string{"is being wiped"}, nil)
}
