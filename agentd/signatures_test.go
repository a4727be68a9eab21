package agentd

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
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

// owned is the configuration of a server on which the owner has enrolled a key.
type owned struct {
	t     *testing.T
	dir   string
	db    *store.DB
	live  *config.Live
	keys  *approver.Keys
	owner wire.Signer
}

func ownedAt() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// openOwned is owned with the key.
func openOwned(t *testing.T) owned {
	t.Helper()
	o := openNew(t)
	o.enrol()
	return o
}

// openNew is owned before the key is enrolled.
func openNew(t *testing.T) owned {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	db, err := store.Open(dir, ownedAt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	log, out := receipt.New(db, ownedAt), link.NewOutbox(db, ownedAt)
	keys := approver.New(approver.Deps{
		DB: db, Receipts: log, Outbox: out, Dir: dir, ServerID: func() string { return "server" }, Origin: func() string { return "" },
		Version: func(tx *sql.Tx) (int64, error) { return config.VersionTx(db, tx) }, Now: ownedAt, Log: slog.New(slog.DiscardHandler),
	})
	live, err := config.Open(t.Context(), db, log, out, ownedAt)
	if err != nil {
		t.Fatal(err)
	}
	live.RequirePowers(powers{keys})
	live.RequireSignatures(changes{keys})
	owner, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	return owned{t, dir, db, live, keys, owner}
}

// enrol makes the owner's key one that the server goes by.
func (o owned) enrol() {
	o.t.Helper()
	err := o.db.Write(o.t.Context(), func(tx *sql.Tx) error {
		return o.keys.Trust(context.Background(), tx, wire.ApproverKey{SPKI: o.owner.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "k", AddedBy: "test", CreatedAt: ownedAt()})
	})
	if err != nil {
		o.t.Fatal(err)
	}
}

// sign signs a change, and answers the hash of the text that was signed too.
func (o owned) sign(k wire.ChangeKind, body any, version int64) (wire.SignedChange, string) {
	o.t.Helper()
	raw, err := canonical.Of(body)
	if err != nil {
		o.t.Fatal(err)
	}
	text := wire.ChangeText("server", k, canonical.Sum(raw), version, ownedAt())
	sig, err := o.owner.Sign(text, ownedAt())
	if err != nil {
		o.t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	return wire.SignedChange{Kind: k, Body: raw, Version: version, Signature: sig}, hex.EncodeToString(sum[:])
}

func (o owned) push(cfg wire.Config, want int64) {
	o.t.Helper()
	if err := o.live.Adopt(o.t.Context(), cfg); err != nil || o.live.State().Version() != want {
		o.t.Fatalf("version %d is in force, want %d: %v", o.live.State().Version(), want, err)
	}
}

// newest is the body of the newest receipt of a type.
func (o owned) newest(kind string) (body string) {
	o.t.Helper()
	err := o.db.Read().QueryRowContext(o.t.Context(), "SELECT body FROM receipts WHERE type = ? ORDER BY seq DESC LIMIT 1", kind).Scan(&body)
	if err != nil {
		o.t.Fatal(err)
	}
	return body
}

// TestSigned_onRecord: who raised something and who loosened a rule is the key that signed, whoever the hub says it was.
func TestSigned_onRecord(t *testing.T) {
	t.Parallel()
	o := openOwned(t)
	level, levelText := o.sign(wire.ChangeAutonomy, wire.AutonomyBody{Level: 3}, 1)
	o.push(wire.Config{Version: 1, DefaultLevel: 3, By: wire.Origin{Email: "else@example.com"}, Signed: []wire.SignedChange{level}}, 1)
	p := wire.PermissionsSet{ID: "x", Text: "version: 1\nrules:\n- {id: a, effect: allow, tier: [yellow]}\n", By: wire.Origin{Email: "else@example.com"}}
	rule, ruleText := o.sign(wire.ChangeRule, p.Body(), 1)
	p.Signature = rule.Signature
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.live.Methods().Answer(t.Context(), wire.MethodPermissionsSet, raw); err != nil {
		t.Fatal(err)
	}
	for kind, text := range map[string]string{"config.applied": levelText, "permissions.applied": ruleText} {
		if body := o.newest(kind); !strings.Contains(body, o.owner.KeyID) || !strings.Contains(body, text) {
			t.Errorf("%s does not say who signed what: %s", kind, body)
		}
	}
	o.push(wire.Config{Version: 2, DefaultLevel: 1}, 2)
	if body := o.newest("config.applied"); strings.Contains(body, "signed") {
		t.Errorf("nobody signed %s", body)
	}
}

// TestSigned_notUsedUp: a version that is refused for one signature that is missing leaves the others as they are, for the
// version that brings them all.
func TestSigned_notUsedUp(t *testing.T) {
	t.Parallel()
	o := openOwned(t)
	level, _ := o.sign(wire.ChangeAutonomy, wire.AutonomyBody{Agent: "it-admin", Level: 3}, 1)
	cfg := wire.Config{
		Version: 1, DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"it-admin": {Level: 3}, "marketing": {Unlocked: []string{"message"}}},
		Signed: []wire.SignedChange{level},
	}
	o.push(cfg, 0)
	unlock, _ := o.sign(wire.ChangeUnlock, wire.UnlockBody{Agent: "marketing", Tool: "message"}, 2)
	cfg.Version, cfg.Signed = 2, []wire.SignedChange{level, unlock}
	o.push(cfg, 2)
	o.push(wire.Config{Version: 3, DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"marketing": {Unlocked: []string{"message"}}}}, 3)
	cfg.Version = 4
	o.push(cfg, 3) // each was used once
}
