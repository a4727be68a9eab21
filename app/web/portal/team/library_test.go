package team_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/team"
	"gatehouse/agentd/team/desk"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// nobody keeps what the server would tell the hub by itself.
type nobody struct{}

func (nobody) Put(context.Context, *sql.Tx, wire.Type, any) error { return nil }

// crew is a customer whose server has a real team, a real log and a real key.
type crew struct {
	*portaltest.Browser
	hub     *portaltest.Hub
	of      portaltest.Customer
	peer    *portaltest.Peer
	key     wire.Signer
	folders team.Folders
}

func openCrew(t *testing.T) *crew {
	t.Helper()
	w := &crew{hub: portaltest.Start(t)}
	w.of = w.hub.NewCustomer(t)
	dir := t.TempDir()
	state := filepath.Join(dir, "state")
	storetest.Seed(t, state)
	db, err := store.Open(state, time.Now)
	portaltest.Must(t, err)
	t.Cleanup(func() { portaltest.Must(t, db.Close()) })
	log := slog.New(slog.DiscardHandler)
	receipts := receipt.New(db, time.Now)
	keys := approver.New(approver.Deps{
		DB: db, Receipts: receipts, Outbox: nobody{}, Dir: state, ServerID: func() string { return string(w.of.Server) }, Now: time.Now,
		Log: log, Identity: func() ed25519.PrivateKey { return nil }, Origin: func() string { return w.hub.URL },
		Version: func(*sql.Tx) (int64, error) { return 1, nil },
	})
	w.key, err = wire.NewSigner()
	portaltest.Must(t, err)
	portaltest.Must(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		return keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: w.key.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "a key", AddedBy: "test", CreatedAt: time.Now(),
		})
	}))
	w.folders = team.Folders{Dir: filepath.Join(dir, "agents"), Library: team.Shipped()}
	portaltest.Must(t, w.folders.Ready())
	load := func() (*team.Team, error) { return team.Load(w.folders.Dir, nil, nil) }
	live := &team.Live{}
	first, err := load()
	portaltest.Must(t, err)
	live.Set(first)
	methods := desk.New(desk.Deps{
		Store: db, Receipts: receipts, Signed: keys, Folders: w.folders, Load: load, Live: live, Now: time.Now, Log: log,
	}).Methods()
	w.peer = w.hub.Link(t, w.of)
	w.peer.Also = func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
		return methods.Answer(ctx, m, params)
	}
	w.Browser = w.hub.Owner(t, w.of)
	return w
}

// send sends the form of an act that stands on a page, signed or not.
func (w *crew) send(t *testing.T, page portaltest.Answer, at string, sign bool) portaltest.Answer {
	t.Helper()
	body, ok := page.Find(at + " form[data-change=team]").Attr("data-change-body")
	if !ok {
		t.Fatalf("there is no form at %s", at)
	}
	var a wire.TeamAct
	portaltest.Must(t, json.Unmarshal([]byte(body), &a))
	sig := ""
	if sign {
		raw, err := canonical.Of(a)
		portaltest.Must(t, err)
		now := time.Now().UTC().Truncate(time.Second)
		s, err := w.key.Sign(wire.ChangeText(string(w.of.Server), wire.ChangeTeam, canonical.Sum(raw), 1, now), now)
		portaltest.Must(t, err)
		text, err := json.Marshal(s)
		portaltest.Must(t, err)
		sig = string(text)
	}
	return w.Post("/app/agents/change", url.Values{"act": {body}, "signature": {sig}})
}

// TestLibrary: what a template is for, needs and lacks stands on the page; nothing happens without a signature; each change is said
// and on record at the hub.
func TestLibrary(t *testing.T) {
	t.Parallel()
	w := openCrew(t)
	page := w.Get("/app/agents/library")
	portaltest.WantSound(t, "/app/agents/library", page.Document)
	social := page.Find("#template-social").Text()
	const lacks = "This server does not have it yet."
	for _, want := range []string{"Social media", "Not in the team", "content calendar", "file_write", lacks} {
		if !strings.Contains(social, want) {
			t.Errorf("%q is missing: %s", want, social)
		}
	}
	if got := page.Find("#library li.member").Length(); got != 7 {
		t.Errorf("%d templates", got)
	}
	if got := w.send(t, page, "#template-social", false); got.StatusCode < 400 {
		t.Errorf("without a signature: %d", got.StatusCode)
	}
	if got := w.send(t, page, "#template-social", true); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("install: %d %s", got.StatusCode, got.Find("main").Text())
	}
	files := w.Get("/app/agents/social/files")
	portaltest.WantSound(t, "/app/agents/social/files", files.Document)
	for _, want := range []string{"EXAMPLES.md", "You sound like the people who work there"} {
		if text := files.Find("main").Text(); !strings.Contains(text, want) {
			t.Errorf("%q is missing: %s", want, text)
		}
	}
	if got := w.send(t, files, "#leave", true); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("archive: %d %s", got.StatusCode, got.Find("main").Text())
	}
	if text := w.Get("/app/agents/library").Find("#template-social").Text(); !strings.Contains(text, "Put away") {
		t.Errorf("%s", text)
	}
	if _, err := os.Stat(filepath.Join(w.folders.Dir, ".archive", "social", "EXAMPLES.md")); err != nil {
		t.Error(err)
	}
	if got := w.Get("/app/agents/dispatcher/files").Find("#leave").Length(); got != 0 {
		t.Error("the front desk can be put away")
	}
	if got := w.Post("/app/agents/change", url.Values{"act": {"{"}}); got.StatusCode != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.StatusCode)
	}
	if got := w.Get("/app/agents/nobody/files"); got.StatusCode != http.StatusNotFound {
		t.Errorf("no such agent: %d", got.StatusCode)
	}
	var acts int
	lines := w.hub.DB.NewSelect().Table("audit_log").ColumnExpr("count(*)").Where("action LIKE 'team.%'")
	portaltest.Must(t, lines.Scan(t.Context(), &acts))
	if acts != 2 {
		t.Errorf("%d lines of the record", acts)
	}
	w.peer.Away(t)
	portaltest.WantAway(t, "/app/agents/library", w.Get("/app/agents/library"), true)
}
