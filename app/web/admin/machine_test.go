package admin_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// rented is a server that beats at a provider, with one snapshot, whose owner agrees to them.
func (h *hub) rented(t *testing.T, slug, provider string) server.Server {
	t.Helper()
	srv := h.beaten(t, slug, false)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := h.db.Pool.Exec(t.Context(), sql, args...)
		must(t, err)
	}
	exec("UPDATE servers SET provider = $2 WHERE id = $1", srv.ID, provider)
	exec("INSERT INTO snapshot_consents SELECT customer_id, ordered_by, $2 FROM orders WHERE id = $1", srv.OrderID, time.Now().UTC())
	must(t, h.rentals.Store.Saw(t.Context(), srv.ID, machine.Seen{
		State: machine.State{Power: machine.PowerOn}, At: time.Now().UTC(),
		Measures: []machine.Measure{{Name: "cpu", Avg: 0.3, Max: 0.42}, {Name: "net_in", Avg: 2048, Max: 4096}},
	}, []machine.Snapshot{{Place: "77", Name: "gatehouse-daily-2026-01-01", Size: 3_000_000_000, MadeAt: time.Now().UTC(), Ready: true}}))
	srv.Provider = provider
	return srv
}

// ended ends what is under way at a server.
func (h *hub) ended(t *testing.T, id server.ID) machine.Act {
	t.Helper()
	acts, err := h.rentals.Store.Of(t.Context(), id, 1)
	must(t, err)
	if len(acts) == 0 {
		t.Fatal("nothing was asked for")
	}
	a := acts[0]
	a.State, a.EndedAt = machine.Done, time.Now().UTC()
	must(t, h.rentals.Store.End(t.Context(), a))
	return a
}

// mails are the letters about machines that were queued.
func (h *hub) mails() (letters []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.queued {
		if m, ok := w.(work.SendMail); ok && machine.Letters(m.Template) {
			letters = append(letters, m.Template)
		}
	}
	return letters
}

// TestMachine_page: each role sees what it may have done, as far as the provider can do it.
func TestMachine_page(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.rented(t, "baker", "hetzner")
	path := "/admin/servers/" + string(srv.ID)
	all := []string{"Switch off", "Reset", "Start rescue system", "Ask the provider now", "Make a snapshot"}
	const destroys, drops = "Reinstall", "Delete snapshot"
	for who, c := range map[string]struct {
		secret    string
		want, not []string
	}{
		"support": {h.staff, []string{"30 %", "3 GB", "Daily", "Your role may look"}, append(all, destroys, drops)},
		"manager": {h.manager, []string{"Your role may look"}, append(all, destroys, drops)},
		"admin":   {h.admin, all, []string{destroys, drops, "Your role may look"}},
		"owner":   {h.owner, append(all, destroys, drops, "Restore snapshot"), []string{"Your role may look"}},
	} {
		holds(t, who, h.doc(t, c.secret, path).Find("#at-provider").Text(), c.want, c.not)
	}
	for provider, c := range map[string]struct{ want, not []string }{
		"local": {[]string{"Switch off", "Reset"}, []string{"rescue", "Reinstall", "Snapshots"}},
		"pool":  {[]string{"machine of the pool", "by hand"}, append(all, "Snapshots")},
	} {
		_, err := h.db.Pool.Exec(t.Context(), "UPDATE servers SET provider = $2 WHERE id = $1", srv.ID, provider)
		must(t, err)
		holds(t, provider, h.doc(t, h.owner, path).Find("#at-provider").Text(), c.want, c.not)
	}
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE servers SET provider = 'pool' WHERE id = $1", srv.ID)
	must(t, err)
	h.wants(t, http.StatusConflict, h.admin, path+"/look")
}

// TestMachine_acts: what is asked for is on record, queued once, one thing at a time, and confirmed with a mailed code where nobody
// can take it back; owners get a letter at once about what makes somebody root on their machine.
func TestMachine_acts(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.rented(t, "baker", "hetzner")
	path := "/admin/servers/" + string(srv.ID)
	copies, err := h.rentals.Store.Copies(t.Context(), srv.ID)
	must(t, err)
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD me"
	h.silent(t, srv.ID)
	for _, c := range []struct {
		to     string
		form   url.Values
		coded  bool
		letter string
	}{
		{"/power", url.Values{"verb": {"power.on"}}, false, ""},
		{"/power", url.Values{"verb": {"power.off"}}, true, ""},
		{"/power", url.Values{"verb": {"power.reset"}}, true, ""},
		{"/rescue", url.Values{"verb": {"rescue.on"}, "key": {key}}, true, machine.LetterRescue},
		{"/rescue", url.Values{"verb": {"rescue.off"}}, false, ""},
		{"/snapshot", url.Values{"verb": {"snapshot.take"}}, false, ""},
		{"/restore", url.Values{"verb": {"snapshot.restore"}, "snapshot": {copies[0].ID}}, true, machine.LetterRestore},
		{"/drop", url.Values{"verb": {"snapshot.drop"}, "snapshot": {copies[0].ID}}, true, ""},
		{"/reinstall", url.Values{"verb": {"reinstall"}}, true, machine.LetterReinstall},
	} {
		verb := c.form.Get("verb")
		was := len(h.mails())
		if c.coded {
			c.form = h.confirmed(t, h.owner, path+c.to, c.form)
		}
		holds(t, verb, h.toast(t, h.owner, path+c.to, c.form), []string{"started"}, nil)
		h.wants(t, http.StatusConflict, h.owner, path+"/power", "verb", "power.on")
		if a := h.ended(t, srv.ID); string(a.Verb) != verb || a.By != "owner@example.org" {
			t.Errorf("%s: kept %+v", verb, a)
		}
		if got := h.mails()[was:]; len(got) > 1 || len(got) == 1 && got[0] != c.letter || c.letter != "" && len(got) == 0 {
			t.Errorf("%s: letters %v", verb, got)
		}
		var audited int
		const count = "SELECT count(*) FROM audit_log WHERE action = $1 AND target = $2 AND by_role = 'OWNER'"
		must(t, h.db.Pool.QueryRow(t.Context(), count, "machine."+verb, srv.ID).Scan(&audited))
		if audited != 1 {
			t.Errorf("%s: %d records", verb, audited)
		}
	}
	holds(t, "the page", h.doc(t, h.staff, path).Find("#machine-acts").Text(), []string{"Reinstall", "Done", "owner@example.org"}, nil)
}

// TestMachine_refusals: what cannot be done says why, and nothing is queued.
func TestMachine_refusals(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.rented(t, "baker", "hetzner")
	other := h.rented(t, "florist", "hetzner")
	theirs, err := h.rentals.Store.Copies(t.Context(), other.ID)
	must(t, err)
	path := "/admin/servers/" + string(srv.ID)
	h.wants(t, http.StatusUnprocessableEntity, h.owner, path+"/power", "verb", "disk.wipe")
	h.wants(t, http.StatusUnprocessableEntity, h.owner, path+"/power", "verb", "reinstall") // of another route
	h.wants(t, http.StatusUnprocessableEntity, h.owner, path+"/rescue", "verb", "rescue.on", "key", "my key")
	h.wants(t, http.StatusNotFound, h.owner, path+"/drop", "verb", "snapshot.drop", "snapshot", theirs[0].ID)
	h.wants(t, http.StatusNotFound, h.owner, path+"/restore", "verb", "snapshot.restore", "snapshot", "77")
	_, err = h.db.Pool.Exec(t.Context(), "DELETE FROM snapshot_consents")
	must(t, err)
	refused := h.wants(t, http.StatusConflict, h.admin, path+"/snapshot", "verb", "snapshot.take")
	holds(t, "without consent", refused, []string{"has not agreed"}, nil)
	if acts, err := h.rentals.Store.Of(t.Context(), srv.ID, 9); err != nil || len(acts) > 0 {
		t.Errorf("kept %+v, %v", acts, err)
	}
}

// mute is a link of a server that is there and says nothing.
type mute struct{}

func (mute) Ask([]byte, func([]byte)) {}
func (mute) Nudge()                   {}
func (mute) Fence(int64)              {}

// TestMachine_window: what opens the whole disk needs a window of the owner with the machine in it, for who does it and while it is open,
// as long as the server can be asked for one. Where it cannot, the owner is mailed at once.
func TestMachine_window(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.rented(t, "baker", "hetzner")
	copies, err := h.rentals.Store.Copies(t.Context(), srv.ID)
	must(t, err)
	path := "/admin/servers/" + string(srv.ID)
	rescue := []string{"verb", "rescue.on", "key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD me"}
	restore := []string{"verb", "snapshot.restore", "snapshot", copies[0].ID}
	both := func(what string, status int) {
		t.Helper()
		says := []string{"The owner has not let you at this machine"}
		if status == http.StatusOK {
			says = []string{"mailed_code"}
		}
		holds(t, what+": rescue", h.wants(t, status, h.owner, path+"/rescue", rescue...), says, nil)
		holds(t, what+": restore", h.wants(t, status, h.owner, path+"/restore", restore...), says, nil)
	}
	detach, err := h.live.Attach(t.Context(), string(srv.ID), 1, mute{})
	must(t, err)
	both("without a window", http.StatusForbidden)
	h.lets(t, h.owner, srv.ID, wire.SupportFiles)
	both("a window for files", http.StatusForbidden)
	h.lets(t, h.manager, srv.ID, wire.SupportMachine)
	both("a window for somebody else", http.StatusForbidden)
	w := h.lets(t, h.owner, srv.ID, wire.SupportMachine)
	both("a window for the machine", http.StatusOK)
	form := h.confirmed(t, h.owner, path+"/rescue", url.Values{"verb": {rescue[1]}, "key": {rescue[3]}})
	h.toast(t, h.owner, path+"/rescue", form)
	h.ended(t, srv.ID)
	now := time.Now().UTC()
	over := wire.SupportState{ID: w, OpenedAt: now.Add(-2 * time.Hour), Until: now.Add(-time.Minute)}
	must(t, h.support.Report(t.Context(), srv.ID, over))
	both("a window that has run out", http.StatusForbidden)
	h.wants(t, http.StatusOK, h.owner, path+"/reinstall", "verb", "reinstall")
	if n := len(h.mails()); n != 1 {
		t.Errorf("%d letters for one act", n)
	}
	detach()
	both("a server that was heard of a moment ago", http.StatusForbidden)
	h.silent(t, srv.ID)
	both("a server that cannot be asked", http.StatusOK)
	form = h.confirmed(t, h.owner, path+"/restore", url.Values{"verb": {restore[1]}, "snapshot": {restore[3]}})
	h.toast(t, h.owner, path+"/restore", form)
	if got := h.mails(); len(got) != 2 || got[1] != machine.LetterRestore {
		t.Errorf("letters %v", got)
	}
}

// silent has a server be one that nothing was heard of for a day.
func (h *hub) silent(t *testing.T, id server.ID) {
	t.Helper()
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE servers SET beat_at = now() - interval '1 day' WHERE id = $1", id)
	must(t, err)
}

// lets has the owner of a server open a window for one of our staff.
func (h *hub) lets(t *testing.T, secret string, id server.ID, what wire.SupportKind) string {
	t.Helper()
	key, err := wire.NewSigner()
	must(t, err)
	page := "/admin/servers/" + string(id) + "/support"
	ask := url.Values{"purpose": {"It does not start."}, "hours": {"2"}, "what_" + string(what): {"1"}, "spki": {key.SPKI()}}
	if status, text := h.send(t, secret, page, ask); status != http.StatusSeeOther {
		t.Fatalf("asked: %d %.300s", status, text)
	}
	var w string
	must(t, h.db.Pool.QueryRow(t.Context(), "SELECT id FROM support_windows WHERE state = 'asked'").Scan(&w))
	now := time.Now().UTC()
	must(t, h.support.Report(t.Context(), id, wire.SupportState{ID: w, OpenedAt: now, Until: now.Add(2 * time.Hour)}))
	return w
}
