package memory_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/memory"
	"gatehouse/agentd/memory/desk"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// nobody keeps what the server would tell the hub by itself.
type nobody struct{}

func (nobody) Put(context.Context, *sql.Tx, wire.Type, any) error { return nil }

// world is a customer whose server answers about real notes, with a real log and real keys.
type world struct {
	*portaltest.Browser
	hub  *portaltest.Hub
	of   portaltest.Customer
	book *memory.Book
	dir  string
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{hub: portaltest.Start(t)}
	w.of = w.hub.NewCustomer(t)
	dir := t.TempDir()
	w.dir = dir
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
	w.book, err = memory.Open(t.Context(), memory.Deps{
		Dir: filepath.Join(dir, "memory"), Index: filepath.Join(dir, "memory.db"), Now: time.Now, Log: log,
		Vouched: func(ctx context.Context, n memory.Note) (bool, error) { return desk.Vouched(ctx, db, n) },
	})
	portaltest.Must(t, err)
	t.Cleanup(func() { portaltest.Must(t, w.book.Close()) })
	d := desk.New(desk.Deps{
		Store: db, Receipts: receipts, Signed: keys, Book: w.book, Now: time.Now, Zone: func() *time.Location { return time.UTC },
		Agents: func() []string { return []string{"dispatcher", "it-admin", "secretary"} },
	})
	methods := d.Methods()
	w.hub.Link(t, w.of).Also = func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
		return methods.Answer(ctx, m, params)
	}
	w.Browser = w.hub.Owner(t, w.of)
	return w
}

func (w *world) note(t *testing.T, id, of, text string, from memory.Origin) {
	t.Helper()
	n := memory.Note{ID: id, Of: of, Text: text, About: memory.About{From: from, At: time.Now()}}
	_, err := w.book.Write(t.Context(), n, true, time.UTC)
	portaltest.Must(t, err)
}

func rows(got portaltest.Answer) int { return got.Find("#memory tbody tr").Length() }

func TestList(t *testing.T) {
	t.Parallel()
	w := open(t)
	if got := w.Get("/app/memory"); !strings.Contains(got.Find("main").Text(), "Nothing is written down yet") {
		t.Errorf("%s", got.Find("main").Text())
	}
	large := filepath.Join(w.dir, "memory", "novel.md")
	portaltest.Must(t, os.WriteFile(large, nil, 0o600))
	portaltest.Must(t, os.Truncate(large, 9<<20))
	_, err := w.book.Refresh(t.Context())
	portaltest.Must(t, err)
	for _, want := range []string{"1 file of notes is not read", "novel.md"} {
		if text := w.Get("/app/memory").Find("main").Text(); !strings.Contains(text, want) {
			t.Errorf("wanted %q: %s", want, text)
		}
	}
	w.note(t, "n1", "secretary", "The rent is due <b>on Friday</b>", memory.Agent)
	w.note(t, "n2", memory.Shared, "Call the plumber", memory.Outside)
	got := w.Get("/app/memory")
	portaltest.WantSound(t, "/app/memory", got.Document)
	text := got.Find("#memory").Text()
	for _, want := range []string{"<b>on Friday</b>", "From outside", "The whole team"} {
		if rows(got) != 2 || !strings.Contains(text, want) {
			t.Errorf("%d rows, wanted %q: %s", rows(got), want, text)
		}
	}
	for query, want := range map[string]int{
		"q=plumbre": 1, "q=zeppelin": 0, "agent=secretary": 1, "agent=shared&origin=outside": 1, "held=1": 0,
	} {
		if got := w.Get("/app/memory?" + query); rows(got) != want {
			t.Errorf("%s: %d rows, want %d", query, rows(got), want)
		}
	}
	for i := range 60 {
		w.note(t, fmt.Sprintf("m%d", i), "it-admin", fmt.Sprintf("note %d", i), memory.Agent)
	}
	first := w.Get("/app/memory?agent=it-admin")
	next, _ := first.Find("a[rel=next]").Attr("href")
	if rows(first) != 50 || next == "" {
		t.Fatalf("%d rows, next %q", rows(first), next)
	}
	if second := w.Get(next); rows(second) != 10 {
		t.Errorf("%d rows on the second page", rows(second))
	}
}

// TestChange: what takes nothing from the owner's word is done at once and said; what needs a signature is refused without one.
func TestChange(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.note(t, "n1", "secretary", "The rent is due on Friday", memory.Agent)
	acts := map[string]string{}
	for _, s := range w.Get("/app/memory").Find("form[data-change=memory]").EachIter() {
		body, _ := s.Attr("data-change-body")
		var a wire.MemoryAct
		portaltest.Must(t, json.Unmarshal([]byte(body), &a))
		acts[string(a.Do)] = body
	}
	send := func(do string) portaltest.Answer {
		return w.Post("/app/memory/change", url.Values{"act": {acts[do]}, "signature": {""}})
	}
	for _, do := range []string{"state", "correct", "confirm"} {
		if got := send(do); got.StatusCode < 400 {
			t.Errorf("%s without a signature: %d", do, got.StatusCode)
		}
	}
	if got := send("hold"); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("hold: %d", got.StatusCode)
	}
	if text := w.Get("/app/memory").Find("main").Text(); !strings.Contains(text, "1 note is put aside") {
		t.Errorf("%s", text)
	}
	if text := w.Get("/app/memory?held=1").Find("#memory").Text(); !strings.Contains(text, "Somebody put it aside.") {
		t.Errorf("%s", text)
	}
	if got := send("delete"); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("delete: %d", got.StatusCode)
	}
	if text := w.Get("/app/memory?held=1").Find("main").Text(); !strings.Contains(text, "Nothing is put aside") {
		t.Errorf("%s", text)
	}
	if got := w.Post("/app/memory/change", url.Values{"act": {"{"}}); got.StatusCode != http.StatusBadRequest {
		t.Errorf("rubbish: %d", got.StatusCode)
	}
}
