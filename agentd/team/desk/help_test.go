package desk_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/team"
	"gatehouse/agentd/team/desk"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

const serverID = "01975000-0000-7000-8000-000000000001"

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// server is what stands around a desk.
type server struct {
	dir     string
	db      *store.DB
	keys    *approver.Keys
	folders team.Folders
	live    *team.Live
	desk    *desk.Desk
	changed int
	begun   []string
}

// told is an outbox that nobody empties.
type told struct{}

func (told) Put(context.Context, *sql.Tx, wire.Type, any) error { return nil }

// shelf is the shipped library, with other texts where a test wants a later version.
func shelf(other map[string]string) team.Library {
	files := fstest.MapFS{}
	ids, err := team.Shipped().IDs()
	if err != nil {
		panic(err)
	}
	for _, id := range ids {
		texts, err := team.Shipped().Files(id)
		if err != nil {
			panic(err)
		}
		for name, text := range texts {
			files[id+"/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	for path, text := range other {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return team.LibraryOf(files)
}

// start opens a server in dir as agentd does.
func start(ctx context.Context, dir string, lib team.Library) (*server, error) {
	s := &server{dir: dir, live: &team.Live{}}
	now := func() time.Time { return noon }
	var err error
	if s.db, err = store.Open(filepath.Join(dir, "state"), now); err != nil {
		return nil, err
	}
	log := receipt.New(s.db, now)
	s.keys = approver.New(approver.Deps{
		DB: s.db, Receipts: log, Outbox: told{}, Dir: filepath.Join(dir, "state"), ServerID: func() string { return serverID },
		Identity: func() ed25519.PrivateKey { return ed25519.NewKeyFromSeed([]byte("the seed of every test's server.")) },
		Origin:   func() string { return "https://hub.example" },
		Version:  func(*sql.Tx) (int64, error) { return 3, nil }, Now: now, Log: slog.New(slog.DiscardHandler),
	})
	s.folders = team.Folders{Dir: filepath.Join(dir, "agents"), Library: lib}
	load := func() (*team.Team, error) {
		return team.Load(s.folders.Dir, []tool.Definition{{Name: "message"}, {Name: "file_write"}, {Name: "agent_dispatch"}}, nil)
	}
	s.desk = desk.New(desk.Deps{
		Store: s.db, Receipts: log, Signed: s.keys, Folders: s.folders, Load: load, Live: s.live, Now: now,
		Log: slog.New(slog.DiscardHandler), Changed: func(context.Context) error { s.changed++; return nil },
		Left: func(id string) bool { return id == "left" }, Begins: func(id string) { s.begun = append(s.begun, id) },
	})
	if err := errors.Join(s.desk.Recover(ctx), s.folders.Ready()); err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	t, err := load()
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	s.live.Set(t)
	return s, nil
}

// world is a server with the owner's key.
type world struct {
	*server
	t   *testing.T
	key wire.Signer
}

func open(t *testing.T) *world {
	t.Helper()
	return openWith(t, t.TempDir(), shelf(nil))
}

func openWith(t *testing.T, dir string, lib team.Library) *world {
	t.Helper()
	w := &world{t: t}
	if _, err := os.Stat(filepath.Join(dir, "state")); errors.Is(err, os.ErrNotExist) {
		storetest.Seed(t, filepath.Join(dir, "state"))
	}
	w.boot(dir, lib)
	var err error
	if w.key, err = wire.NewSigner(); err != nil {
		t.Fatal(err)
	}
	err = w.db.Write(t.Context(), func(tx *sql.Tx) error {
		return w.keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: w.key.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "a key", AddedBy: "test", CreatedAt: noon,
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.stop)
	return w
}

// boot starts the server again, perhaps with another version of the library.
func (w *world) boot(dir string, lib team.Library) {
	w.t.Helper()
	w.stop()
	var err error
	if w.server, err = start(context.Background(), dir, lib); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) stop() {
	if w.server == nil {
		return
	}
	if err := w.db.Close(); err != nil {
		w.t.Error(err)
	}
	w.server = nil
}

// ask asks the desk as the link does.
func ask[R any](s *server, m wire.Method, params any) (r R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	got, err := s.desk.Methods().Answer(context.Background(), m, raw)
	if err != nil {
		return r, err
	}
	return got.(R), nil
}

// signed is an act with the owner's signature.
func (w *world) signed(a wire.TeamAct) wire.TeamChange {
	w.t.Helper()
	if a.ID == "" {
		a.ID = uuid.Must(uuid.NewV7()).String()
	}
	c := wire.TeamChange{Act: a, By: wire.DecidedBy{Role: "owner", Name: "owner@example.com"}}
	raw, err := canonical.Of(a)
	if err != nil {
		w.t.Fatal(err)
	}
	if c.Signature, err = w.key.Sign(wire.ChangeText(serverID, wire.ChangeTeam, canonical.Sum(raw), 3, noon), noon); err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) act(a wire.TeamAct) (wire.TeamDone, error) {
	w.t.Helper()
	return ask[wire.TeamDone](w.server, wire.MethodTeamChange, w.signed(a))
}

func (w *world) library() wire.TeamLibrary {
	w.t.Helper()
	l, err := ask[wire.TeamLibrary](w.server, wire.MethodTeamLibrary, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (w *world) template(id string) wire.TeamTemplate {
	w.t.Helper()
	for _, t := range w.library().Items {
		if t.ID == id {
			return t
		}
	}
	w.t.Fatalf("the library has no %s", id)
	return wire.TeamTemplate{}
}

func (w *world) member(id string) wire.TeamMember {
	w.t.Helper()
	m, err := ask[wire.TeamMember](w.server, wire.MethodTeamMember, wire.TeamMemberParams{Agent: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// receipts counts what is on record about the team.
func (w *world) receipts() (n int) {
	w.t.Helper()
	err := w.db.Read().QueryRowContext(context.Background(), "SELECT count(*) FROM receipts WHERE type = 'team.changed'").Scan(&n)
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// write changes a file as somebody does on the server itself.
func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.folders.Dir, path), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) ids() (ids []string) {
	for _, a := range w.live.Agents() {
		ids = append(ids, a.ID)
	}
	return ids
}

func code(err error) string {
	var e *wire.RPCError
	if errors.As(err, &e) {
		return e.Code
	}
	return "none"
}

// tree is every file below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path[len(dir):]] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(a, b map[string]string) bool { return maps.Equal(a, b) }
