package agentd

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/link"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// TestPowers_inside: until the first key is enrolled the hub says who is inside. From then on a person has to sign for
// each address, or a hub in wrong hands would mail to itself unasked.
func TestPowers_inside(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	db, err := store.Open(filepath.Join(t.TempDir(), "state"), now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	log, out := receipt.New(db, now), link.NewOutbox(db, now)
	keys := approver.New(approver.Deps{
		DB: db, Receipts: log, Outbox: out, ServerID: func() string { return "server" }, Origin: func() string { return "" },
		Version: func(tx *sql.Tx) (int64, error) { return config.VersionTx(db, tx) }, Now: now, Log: slog.New(slog.DiscardHandler),
	})
	live, err := config.Open(t.Context(), db, log, out, now)
	if err != nil {
		t.Fatal(err)
	}
	live.RequirePowers(powers{keys})
	push := func(v int64, signed []wire.SignedChange, inside ...string) {
		t.Helper()
		if err := live.Adopt(t.Context(), wire.Config{Version: v, DefaultLevel: 2, Inside: inside, Signed: signed}); err != nil {
			t.Fatal(err)
		}
	}
	push(1, nil, "owner@example.com")
	owner, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		return keys.Trust(context.Background(), tx, wire.ApproverKey{SPKI: owner.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "k", AddedBy: "test", CreatedAt: now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	push(2, nil, "owner@example.com", "evil@evil.example")
	if !live.Has("owner@example.com") || live.Has("evil@evil.example") {
		t.Fatalf("inside without a signature: %v", live.State().Config().Inside)
	}
	body, err := canonical.Of("mate@example.com")
	if err != nil {
		t.Fatal(err)
	}
	sig, err := owner.Sign(wire.ChangeText("server", wire.ChangeInside, canonical.Sum(body), 3, now()), now())
	if err != nil {
		t.Fatal(err)
	}
	push(3, []wire.SignedChange{{Kind: wire.ChangeInside, Body: body, Version: 3, Signature: sig}}, "owner@example.com", "evil@evil.example", "mate@example.com")
	if !live.Has("mate@example.com") || live.Has("evil@evil.example") {
		t.Fatalf("inside with one signature: %v", live.State().Config().Inside)
	}
	lied := wire.Config{Version: 4, DefaultLevel: 1, Inside: []string{"evil@evil.example"}, Added: []string{"evil@evil.example"}}
	if err := live.Adopt(t.Context(), lied); err != nil || live.State().Version() != 3 || live.Has("evil@evil.example") {
		t.Fatalf("an address that the owner is said to have added: version %d, %v", live.State().Version(), err)
	}
	push(5, nil, "owner@example.com")
	if live.Has("mate@example.com") {
		t.Fatal("an address that was removed is inside")
	}
	got, err := live.RPC(t.Context(), wire.MethodInsideList, nil)
	if err != nil || !slices.Equal(got.(wire.InsideResult).Items, []string{"owner@example.com"}) {
		t.Fatalf("inside are %v, %v", got, err)
	}
}
