package file_test

import (
	"context"
	"crypto/ecdh"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/files"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

func TestMain(m *testing.M) { portaltest.Main(m) }

// desk is a customer whose server answers about real files, with real keys and a real log.
type desk struct {
	t *testing.T
	tooltest.Dir
	hub  *portaltest.Hub
	of   portaltest.Customer
	peer *portaltest.Peer
	*portaltest.Browser
	db       *store.DB
	box      *ecdh.PrivateKey
	versions *version.Store
	writes   *filewrite.Tool
	methods  rpc.Methods
	free     int64
	looked   func() // when the server looks at what it keeps
}

// nobody keeps what the server would tell the hub by itself.
type nobody struct{}

func (nobody) Put(context.Context, *sql.Tx, wire.Type, any) error { return nil }

func (d *desk) BoxKey(context.Context) (*ecdh.PrivateKey, time.Time, error) {
	return d.box, time.Now(), nil
}

func (d *desk) Maker(_ context.Context, callID string) (agent, run string, err error) {
	return "secretary", "run-of-" + callID, nil
}

func open(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, Dir: tooltest.NewDir(t), hub: portaltest.Start(t), free: 1 << 40, looked: func() {}}
	d.of = d.hub.NewCustomer(t)
	state := filepath.Join(d.Path, "records") // apart from those of the gate of a test
	storetest.Seed(t, state)
	var err error
	d.db, err = store.Open(state, time.Now)
	portaltest.Must(t, err)
	t.Cleanup(func() { portaltest.Must(t, d.db.Close()) })
	d.box, _, _ = wire.NewSecretKey() // it never fails
	id := func() string { return string(d.of.Server) }
	log := slog.New(slog.DiscardHandler)
	receipts := receipt.New(d.db, time.Now)
	keys := approver.New(approver.Deps{
		DB: d.db, Receipts: receipts, Outbox: nobody{}, Dir: d.State, ServerID: id, Now: time.Now, Log: log,
		Identity: func() ed25519.PrivateKey { return nil }, Origin: func() string { return d.hub.URL },
		Version: func(*sql.Tx) (int64, error) { return 1, nil },
	})
	portaltest.Must(t, d.db.Write(t.Context(), func(tx *sql.Tx) error {
		return keys.Trust(context.Background(), tx, wire.ApproverKey{
			SPKI: portaltest.Signer().SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", CreatedAt: time.Now(),
		})
	}))
	d.writes, err = filewrite.New(d.Root, time.Now)
	portaltest.Must(t, err)
	now := func() time.Time { d.looked(); return time.Now() }
	d.versions = version.New(d.Root, now, func() int64 { return d.free }, func(ctx context.Context, id string, rels []string) error {
		return taint.Keep(ctx, d.db, id, rels, time.Now())
	})
	shelf := files.New(files.Deps{
		Root: d.Root, Versions: d.versions, Writes: d.writes, Calls: d, DB: d.db, Receipts: receipts, Signed: keys, Keys: d,
		Free: func() (int64, int64) { return d.free, d.free }, ServerID: id, Now: time.Now, Log: log,
	})
	d.peer = d.hub.Link(t, d.of)
	d.methods = shelf.Methods()
	d.peer.Also = func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error) {
		return d.methods.Answer(ctx, m, params)
	}
	d.Browser = d.hub.Owner(t, d.of)
	return d
}

// at is an address with a path in its query.
func at(page, path string, more ...string) string {
	q := url.Values{"path": {path}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return page + "?" + q.Encode()
}

// link makes a link in the data folder.
func (d *desk) link(to, name string) {
	d.t.Helper()
	portaltest.Must(d.t, os.Symlink(to, filepath.Join(d.Data, name)))
}

// receipts are those of one kind, as their bodies.
func (d *desk) receipts(kind string) (all []string) {
	d.t.Helper()
	rows, err := d.db.Read().QueryContext(d.t.Context(), "SELECT body FROM receipts WHERE type = ? ORDER BY seq", kind)
	portaltest.Must(d.t, err)
	defer rows.Close()
	for rows.Next() {
		var body string
		portaltest.Must(d.t, rows.Scan(&body))
		all = append(all, body)
	}
	portaltest.Must(d.t, rows.Err())
	return all
}
