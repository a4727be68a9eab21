package counter_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/tools/credential"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/counter"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

const value = "canary-counter-0123456789abcdef"

// world is a counter with real approver keys, a clock that can be moved, and a hub that keeps all it relays.
type world struct {
	*vaulttest.World
	counter *counter.Counter
	signer  wire.Signer
	id      ed25519.PrivateKey
	relayed strings.Builder

	mu    sync.Mutex
	later time.Duration
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.later)
}

func (w *world) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.later += d
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{World: vaulttest.New(t, func(v *vaulttest.World) []gate.Tool { return []gate.Tool{credential.NewGet(v.Vault)} })}
	keys := approver.New(approver.Deps{
		DB: w.DB, Receipts: w.Receipts, Outbox: w, Dir: w.Dir, ServerID: serverID, Origin: func() string { return "http://localhost" },
		Version: func(tx *sql.Tx) (int64, error) { return config.VersionTx(w.DB, tx) }, Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	var err error
	if w.signer, err = wire.NewSigner(); err != nil {
		t.Fatal(err)
	}
	err = w.DB.Write(t.Context(), func(tx *sql.Tx) error {
		return keys.Trust(t.Context(), tx, wire.ApproverKey{SPKI: w.signer.SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", AddedBy: "test"})
	})
	if err != nil {
		t.Fatal(err)
	}
	_, w.id, _ = ed25519.GenerateKey(nil)
	w.counter = counter.New(counter.Deps{
		Vault: w.Vault, DB: w.DB, Receipts: w.Receipts, Signed: keys, ServerID: serverID, Identity: func() ed25519.PrivateKey { return w.id },
		Now: w.now, Log: slog.New(slog.NewJSONHandler(w, nil)),
	})
	return w
}

func serverID() string { return vaulttest.ServerID }

var owner = wire.DecidedBy{UserID: "u1", Name: "owner@example.com", Role: "owner", Channel: "portal"}

// ask relays a question, as the hub does: it sees all bytes both ways.
func ask[R any](w *world, m wire.Method, params any) (out R, err error) {
	raw, merr := json.Marshal(params)
	if merr != nil {
		w.T.Fatal(merr)
	}
	got, err := w.counter.Methods().Answer(w.T.Context(), m, raw)
	answer, merr := json.Marshal(got)
	if merr != nil {
		w.T.Fatal(merr)
	}
	w.relayed.Write(raw)
	w.relayed.Write(answer)
	if err != nil {
		w.relayed.WriteString(err.Error())
		return out, err
	}
	return out, json.Unmarshal(answer, &out)
}

func (w *world) open(m wire.Method, name string) wire.SecretOpening {
	w.T.Helper()
	o, err := ask[wire.SecretOpening](w, wire.MethodSecretsOpen, wire.SecretOpenParams{Method: m, Name: name})
	if err != nil {
		w.T.Fatal(err)
	}
	return o
}

// box is what the browser makes.
func (w *world) box(o wire.SecretOpening, m wire.Method, name, v string) wire.SecretBox {
	w.T.Helper()
	b, err := wire.SealSecret(o.Key, wire.SecretPurpose{Method: m, ServerID: o.ServerID, Name: name, Nonce: o.Nonce}, []byte(v))
	if err != nil {
		w.T.Fatal(err)
	}
	return b
}

func (w *world) sign(k wire.ChangeKind, body json.RawMessage) *wire.Signature {
	w.T.Helper()
	at := w.now().UTC().Truncate(time.Second)
	hash, err := canonical.Hash(body)
	if err != nil {
		w.T.Fatal(err)
	}
	s, err := w.signer.Sign(wire.ChangeText(serverID(), k, hash, w.Config.State().Version(), at), at)
	if err != nil {
		w.T.Fatal(err)
	}
	return s
}

func code(err error) string {
	var e *wire.RPCError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestOpen_isVouchedFor(t *testing.T) {
	t.Parallel()
	w := open(t)
	o := w.open(wire.MethodSecretsProvide, "crm.api_key")
	key, err := wire.SecretPublic(o.Key)
	if err != nil {
		t.Fatal(err)
	}
	id, print := wire.SecretKeyID(key)
	pub, err1 := base64.RawURLEncoding.DecodeString(o.IdentityKey)
	sig, err2 := base64.RawURLEncoding.DecodeString(o.Signature)
	if err1 != nil || err2 != nil || id != o.KeyID || print != o.Fingerprint || len(print) != 39 || !ed25519.Verify(pub, wire.SecretKeyText(o.ServerID, o.KeyID, o.MadeAt), sig) {
		t.Errorf("%+v", o)
	}
	if again := w.open(wire.MethodSecretsProvide, "crm.api_key"); again.Key != o.Key || again.Nonce == o.Nonce {
		t.Error("another key, or the same nonce")
	}
}

// TestProvideAndReveal: in and out, with every byte that the hub relays, and nothing of the value in it.
func TestProvideAndReveal(t *testing.T) {
	t.Parallel()
	w := open(t)
	o := w.open(wire.MethodSecretsProvide, "crm.api_key")
	i, err := ask[wire.SecretInfo](w, wire.MethodSecretsProvide, wire.SecretProvide{Name: "crm.api_key", Nonce: o.Nonce, Box: w.box(o, wire.MethodSecretsProvide, "crm.api_key", value), By: owner})
	if err != nil || i.Version != 1 || i.Source != vault.FromOwner {
		t.Fatalf("%+v, %v", i, err)
	}
	got, err := w.reveal("crm.api_key", nil)
	if err != nil || got != value {
		t.Fatalf("%q, %v", got, err)
	}
	for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))[:20], base64.RawURLEncoding.EncodeToString([]byte(value))[:20]} {
		if strings.Contains(w.relayed.String(), form) {
			t.Error("the hub saw the value")
		}
	}
	if leaks := w.Leaks(value); len(leaks) > 0 {
		t.Errorf("the value lies in %v", leaks)
	}
	w.kinds(t, "secret.provided", "secret.revealed")
	audit, err := ask[wire.SecretAuditResult](w, wire.MethodSecretsAudit, wire.SecretAuditParams{Name: "crm.api_key"})
	if err != nil || len(audit.Items) != 2 || audit.Items[0].Act != "reveal" || audit.Items[0].By != "owner owner@example.com" {
		t.Errorf("%+v, %v", audit, err)
	}
}

// reveal asks for a value as a browser does; spoil changes the question on its way.
func (w *world) reveal(name string, spoil func(*wire.SecretReveal)) (string, error) {
	w.T.Helper()
	o := w.open(wire.MethodSecretsReveal, name)
	own, pub, err := wire.NewSecretKey()
	if err != nil {
		w.T.Fatal(err)
	}
	r := wire.SecretReveal{Name: name, Nonce: o.Nonce, ReplyKey: pub, By: owner}
	body, err := wire.SecretRevealBody(r)
	if err != nil {
		w.T.Fatal(err)
	}
	r.Signature = w.sign(wire.ChangeSecretReveal, body)
	if spoil != nil {
		spoil(&r)
	}
	out, err := ask[wire.SecretRevealed](w, wire.MethodSecretsReveal, r)
	if err != nil {
		return "", err
	}
	plain, err := wire.OpenSecret(own, wire.SecretPurpose{Method: wire.MethodSecretsReveal, ServerID: o.ServerID, Name: name, Nonce: o.Nonce}, out.Box)
	return string(plain), err
}

// kinds fails unless these receipts stand in the log.
func (w *world) kinds(t *testing.T, want ...string) {
	t.Helper()
	all, err := receipt.OfRuns(t.Context(), w.DB.Read(), []string{""})
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, r := range all {
		have = append(have, r.Type)
		if strings.Contains(string(r.Body), value) {
			t.Error("a receipt holds the value")
		}
	}
	for _, k := range want {
		if !slices.Contains(have, k) {
			t.Errorf("no receipt %s in %v", k, have)
		}
	}
}

// TestReveal_hostileHub: whatever a hub does with the question, it gets no value it could open.
func TestReveal_hostileHub(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Set("crm.api_key", value)
	w.Set("crm.other", value+"-other")
	_, evil, err := wire.NewSecretKey()
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	var kept wire.SecretReveal
	if got, err := w.reveal("crm.api_key", func(r *wire.SecretReveal) { kept = *r }); err != nil || got != value {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func(*wire.SecretReveal){
		"its own reply key":  func(r *wire.SecretReveal) { r.ReplyKey = evil },
		"another secret":     func(r *wire.SecretReveal) { r.Name = "crm.other" },
		"no signature":       func(r *wire.SecretReveal) { r.Signature = nil },
		"an old signature":   func(r *wire.SecretReveal) { r.Signature = kept.Signature },
		"the whole again":    func(r *wire.SecretReveal) { *r = kept },
		"a nonce of its own": func(r *wire.SecretReveal) { r.Nonce = "AAAAAAAAAAAAAAAAAAAAAA" },
		"no point":           func(r *wire.SecretReveal) { r.ReplyKey = "AAAA" },
		"a stranger's key":   func(r *wire.SecretReveal) { r.Signature.KeyID = stranger.KeyID },
		"the time moved":     func(r *wire.SecretReveal) { r.Signature.Time = r.Signature.Time.Add(time.Second) },
		"a minute too late":  func(*wire.SecretReveal) { w.move(61 * time.Second) },
	} {
		if got, err := w.reveal("crm.api_key", spoil); err == nil || got != "" || code(err) == "" {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	if strings.Contains(w.relayed.String(), value) {
		t.Error("the hub saw the value")
	}
}

// TestProvide_hostileHub: a box that was bent, comes twice, late or for something else changes nothing.
func TestProvide_hostileHub(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Set("crm.api_key", "canary-before")
	name, m := "crm.api_key", wire.MethodSecretsProvide
	for what, bend := range map[string]func(p *wire.SecretProvide, o wire.SecretOpening){
		"another name":  func(p *wire.SecretProvide, _ wire.SecretOpening) { p.Name = "crm.other" },
		"another nonce": func(p *wire.SecretProvide, _ wire.SecretOpening) { p.Nonce = w.open(m, name).Nonce },
		"an act of its own": func(p *wire.SecretProvide, _ wire.SecretOpening) {
			p.Nonce = w.open(wire.MethodSecretsRotate, name).Nonce
		},
		"cut": func(p *wire.SecretProvide, _ wire.SecretOpening) { p.Box = p.Box[:len(p.Box)-4] },
		"a letter changed": func(p *wire.SecretProvide, _ wire.SecretOpening) {
			p.Box = p.Box[:100] + flip(p.Box[100:101]) + p.Box[101:]
		},
		"empty": func(p *wire.SecretProvide, _ wire.SecretOpening) { p.Box = "" },
		"sealed for rotation": func(p *wire.SecretProvide, o wire.SecretOpening) {
			p.Box = w.box(o, wire.MethodSecretsRotate, name, value)
		},
		"an empty value":    func(p *wire.SecretProvide, o wire.SecretOpening) { p.Box = w.box(o, m, name, "") },
		"late":              func(*wire.SecretProvide, wire.SecretOpening) { w.move(61 * time.Second) },
		"a request unknown": func(p *wire.SecretProvide, _ wire.SecretOpening) { p.Request = "01900000-0000-7000-8000-00000000dead" },
	} {
		o := w.open(m, name)
		p := wire.SecretProvide{Name: name, Nonce: o.Nonce, Box: w.box(o, m, name, value), By: owner}
		bend(&p, o)
		if _, err := ask[wire.SecretInfo](w, m, p); code(err) == "" {
			t.Errorf("%s: %v", what, err)
		}
	}
	o := w.open(m, name)
	p := wire.SecretProvide{Name: name, Nonce: o.Nonce, Box: w.box(o, m, name, value), By: owner}
	wins := make(chan error, 20)
	for range 20 {
		go func() { wins <- w.try(m, p) }()
	}
	taken := 0
	for range 20 {
		if err := <-wins; err == nil {
			taken++
		}
	}
	if i, err := w.Vault.Info(t.Context(), name); taken != 1 || err != nil || i.Version != 2 {
		t.Errorf("the same box was taken %d times, version %d", taken, i.Version)
	}
}

// try asks without keeping what was said: several at once do.
func (w *world) try(m wire.Method, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	_, err = w.counter.Methods().Answer(context.Background(), m, raw)
	return err
}

func flip(s wire.SecretBox) wire.SecretBox {
	if s == "A" {
		return "B"
	}
	return "A"
}

// TestAsked: a call waits, the owner sees it and gives the value in a box, and the run goes on with a reference.
func TestAsked(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.Call("get_credential", policy.GetCredentialArgs{Service: "crm", Key: "api_key"})
	parked, done := make(chan bool, 4), make(chan gate.Outcome, 1)
	go func() {
		out, err := w.Gate.Do(t.Context(), c, func(p bool) { parked <- p })
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	<-parked
	all, err := ask[wire.SecretRequestsResult](w, wire.MethodSecretsAsked, struct{}{})
	if err != nil || len(all.Items) != 1 || all.Items[0].Name != "crm.api_key" || all.Items[0].ID != c.ID {
		t.Fatalf("%+v, %v", all, err)
	}
	r := all.Items[0]
	o := w.open(wire.MethodSecretsProvide, r.Name)
	p := wire.SecretProvide{Name: r.Name, Request: r.ID, Nonce: o.Nonce, Box: w.box(o, wire.MethodSecretsProvide, r.Name, value), By: owner}
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsProvide, p); err != nil {
		t.Fatal(err)
	}
	if out := <-done; out.State != wire.ToolDone || !strings.Contains(out.Text, "SECRET_REF(crm.api_key)") || strings.Contains(out.Text, value) {
		t.Errorf("%+v", out)
	}
	if _, err := ask[wire.SecretRequest](w, wire.MethodSecretsDecline, wire.SecretDecline{Request: r.ID, By: owner}); code(err) != "conflict" {
		t.Errorf("answered twice: %v", err)
	}
}

// TestDeclined_withoutReceipt: a no that cannot be put on record closes nothing.
func TestDeclined_withoutReceipt(t *testing.T) {
	t.Parallel()
	w := open(t)
	r, err := w.Vault.Ask(t.Context(), wire.SecretRequest{ID: "01900000-0000-7000-8000-000000000001", Name: "crm.api_key", Agent: "secretary", ExpiresAt: w.now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	err = w.DB.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("CREATE TRIGGER full BEFORE INSERT ON receipts WHEN new.type = 'secret.declined' BEGIN SELECT RAISE(ABORT, 'no room'); END")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask[wire.SecretRequest](w, wire.MethodSecretsDecline, wire.SecretDecline{Request: r.ID, By: owner}); err == nil {
		t.Error("declined without a receipt")
	}
	if r, err := w.Vault.Request(t.Context(), r.ID); err != nil || r.State != vault.Pending {
		t.Errorf("the request is %q, %v", r.State, err)
	}
}

// service is one whose secret the server can change itself.
type service struct {
	value string
	says  error  // to a new value, in place of taking it
	tried func() // when a value is tried; nil: nothing
	place bool   // one of the secret's places has to be at it
}

// changes lets the counter change secrets in a service.
func (w *world) changes(s *service) {
	w.counter = counter.New(counter.Deps{
		Vault: w.Vault, DB: w.DB, Receipts: w.Receipts, Applier: s, ServerID: serverID, Identity: func() ed25519.PrivateKey { return w.id },
		Now: w.now, Log: slog.New(slog.NewJSONHandler(w, nil)),
	})
}

// noted are the receipts about secrets so far.
func (w *world) noted() (all []string) {
	w.T.Helper()
	rs, err := receipt.OfRuns(w.T.Context(), w.DB.Read(), []string{""})
	if err != nil {
		w.T.Fatal(err)
	}
	for _, r := range rs {
		if strings.HasPrefix(r.Type, "secret.") {
			all = append(all, r.Type)
		}
	}
	return all
}

func (*service) Applies(name string) bool { return name == "db.password" }

func (s *service) Bound(_ string, to []wire.SecretBinding) bool { return !s.place || len(to) > 0 }

func (s *service) Apply(_ context.Context, _ string, _, next secret.Value) error {
	if s.says == nil {
		s.value = next.Reveal()
	}
	return s.says
}

func (s *service) Works(_ context.Context, _ string, v secret.Value) (bool, error) {
	if s.tried != nil {
		s.tried()
	}
	return s.value == v.Reveal(), nil
}

// TestRotate_ownValue: a hub cannot put a value that it knows in the place of the one that a service takes; one that the
// server makes, it never sees.
func TestRotate_ownValue(t *testing.T) {
	t.Parallel()
	w, s := open(t), &service{value: "canary-before"}
	w.Set("db.password", s.value)
	w.changes(s)
	o := w.open(wire.MethodSecretsRotate, "db.password")
	p := wire.SecretRotate{Name: "db.password", Nonce: o.Nonce, Box: w.box(o, wire.MethodSecretsRotate, "db.password", value), By: owner}
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsRotate, p); code(err) != "conflict" || s.value != "canary-before" {
		t.Errorf("%v; the service takes %q", err, s.value)
	}
	i, err := ask[wire.SecretInfo](w, wire.MethodSecretsRotate, wire.SecretRotate{Name: "db.password", By: owner})
	if err != nil || i.Version != 2 || s.value == "canary-before" || s.value == value {
		t.Errorf("%+v, %v; the service takes %q", i, err, s.value)
	}
}

// TestRotate_onRecord: a rotation is on record as begun before the service hears of it, and as what came of it after.
func TestRotate_onRecord(t *testing.T) {
	t.Parallel()
	const before, after = "canary-before", "secret.rotation_started"
	for what, c := range map[string]struct {
		says error
		code string
		want []string
	}{
		"taken":   {nil, "", []string{after, "secret.rotated"}},
		"refused": {vault.ErrRefused, "conflict", []string{after, "secret.not_rotated"}},
		"unclear": {errors.New("did not answer in time"), "unavailable", []string{after, "secret.rotation_unclear"}},
	} {
		w, s := open(t), &service{value: before, says: c.says}
		w.Set("db.password", before)
		w.changes(s)
		_, err := ask[wire.SecretInfo](w, wire.MethodSecretsRotate, wire.SecretRotate{Name: "db.password", By: owner})
		if got := w.noted(); code(err) != c.code || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, on record as %v", what, err, got)
		}
		if what != "unclear" {
			continue
		}
		if unclear, err := w.counter.Settle(t.Context()); err != nil || !slices.Equal(unclear, []string{"db.password"}) || len(w.noted()) != 2 {
			t.Errorf("unclear %v, %v, on record as %v", unclear, err, w.noted())
		}
		known, err := w.Vault.Known(t.Context())
		if err != nil || len(known) != 2 {
			t.Fatalf("%d known, %v", len(known), err)
		}
		s.value = known[1].Value // the service has taken it after all
		if unclear, err := w.counter.Settle(t.Context()); err != nil || len(unclear) > 0 || !slices.Equal(w.noted(), append(c.want, "secret.rotated")) {
			t.Errorf("unclear %v, %v, on record as %v", unclear, err, w.noted())
		}
	}
}

// TestRotate_askerGone: what a rotation came to is what stands last on record, also when whoever asked for it goes away
// just before its end.
func TestRotate_askerGone(t *testing.T) {
	t.Parallel()
	for came, says := range map[string]error{"secret.rotated": nil, "secret.rotation_unclear": errors.New("did not answer in time")} {
		w, s := open(t), &service{value: "canary-before", says: says}
		w.Set("db.password", s.value)
		w.changes(s)
		ctx, gone := context.WithCancel(t.Context())
		heard, once := make(chan struct{}), sync.Once{}
		s.tried = func() { once.Do(func() { gone(); <-heard }) }
		raw, err := json.Marshal(wire.SecretRotate{Name: "db.password", By: owner})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.counter.Methods().Answer(ctx, wire.MethodSecretsRotate, raw); code(err) != "unavailable" {
			t.Error(err)
		}
		close(heard)
		if _, err := w.counter.Settle(t.Context()); err != nil { // which waits for its turn
			t.Error(err)
		}
		if got := w.noted(); !slices.Equal(got, []string{"secret.rotation_started", came}) {
			t.Errorf("on record as %v, it is %s", got, came)
		}
	}
}

// unasked is a tool of which every call is harmless: nobody has to allow it.
type unasked struct{ gate.Tool }

func (unasked) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.Green, Action: "test.secret.rotate", Says: "Rotate a secret"}
}

// TestRotate_endedByAgent: a rotation that a person has begun and an agent's call has to end first is on record to its end.
func TestRotate_endedByAgent(t *testing.T) {
	t.Parallel()
	w, s := open(t), &service{value: "canary-before", says: errors.New("did not answer in time")}
	w.Set("db.password", s.value)
	w.changes(s)
	if err := w.try(wire.MethodSecretsRotate, wire.SecretRotate{Name: "db.password", By: owner}); code(err) != "unavailable" {
		t.Fatal(err)
	}
	known, err := w.Vault.Known(t.Context())
	if err != nil || len(known) != 2 {
		t.Fatalf("%d known, %v", len(known), err)
	}
	s.value, s.says = known[1].Value, nil // the service has taken it after all
	if err := w.Gate.Add(unasked{credential.NewRotate(w.Vault, s, w.counter.Ended)}); err != nil {
		t.Fatal(err)
	}
	w.Do("rotate_credential", policy.RotateCredentialArgs{SecretID: "db.password"})
	want := []string{"secret.rotation_started", "secret.rotation_unclear", "secret.rotated", "secret.rotated"}
	if i, err := w.Vault.Info(t.Context(), "db.password"); err != nil || i.Version != 3 || !slices.Equal(w.noted(), want) {
		t.Errorf("version %d, %v, on record as %v", i.Version, err, w.noted())
	}
}

// TestWho: a long name is cut between characters.
func TestWho(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 199)
	if got, want := counter.Who(wire.DecidedBy{Role: "owner", Name: long + "é"}), "owner "+long; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRotate_busy: who waits for another's rotation in vain is told so.
func TestRotate_busy(t *testing.T) {
	t.Parallel()
	w, s := open(t), &service{value: "canary-before"}
	w.Set("db.password", s.value)
	w.changes(s)
	raw, err := json.Marshal(wire.SecretRotate{Name: "db.password", By: owner})
	if err != nil {
		t.Fatal(err)
	}
	ctx, gone := context.WithCancel(t.Context())
	once := sync.Once{}
	s.tried = func() {
		once.Do(func() {
			got := make(chan error, 1)
			go func() {
				_, err := w.counter.Methods().Answer(ctx, wire.MethodSecretsRotate, raw)
				got <- err
			}()
			for end := time.Now().Add(time.Minute); len(got) == 0 && !vaulttest.InTurn("TestRotate_busy") && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // between two looks
			}
			gone()
			if err := <-got; code(err) != "unavailable" || !strings.Contains(err.Error(), "in a moment") {
				t.Error(err)
			}
		})
	}
	if _, err := w.counter.Methods().Answer(t.Context(), wire.MethodSecretsRotate, raw); err != nil {
		t.Error(err)
	}
}

// TestRotate_placeTakenAway: where the owner takes the place away while somebody waits for an open rotation, that one is not
// told that the service is asked again: it is not, until the place is named.
func TestRotate_placeTakenAway(t *testing.T) {
	t.Parallel()
	w, s := open(t), &service{value: "canary-before", says: errors.New("did not answer in time"), place: true}
	w.Set("db.password", s.value, wire.SecretBinding{Tool: "http_request", Scheme: "https", Host: "db.example.com", Port: 443, Header: "X-Key"})
	w.changes(s)
	raw, err := json.Marshal(wire.SecretRotate{Name: "db.password", By: owner})
	if err != nil {
		t.Fatal(err)
	}
	got, once := make(chan error, 1), sync.Once{}
	s.tried = func() {
		once.Do(func() {
			go func() {
				_, err := w.counter.Methods().Answer(t.Context(), wire.MethodSecretsRotate, raw)
				got <- err
			}()
			for end := time.Now().Add(time.Minute); len(got) == 0 && !vaulttest.InTurn("TestRotate_placeTakenAway") && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // between two looks
			}
			if _, err := w.Vault.Bind(t.Context(), "db.password", nil, "", "owner"); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := w.counter.Methods().Answer(t.Context(), wire.MethodSecretsRotate, raw); code(err) != "unavailable" {
		t.Error(err)
	}
	if err := <-got; code(err) != "conflict" || strings.Contains(err.Error(), "by itself") || !strings.Contains(err.Error(), "Add that place") {
		t.Error(err)
	}
}

// TestTooMany: a hub that has new values made over and over is refused in words, and redaction keeps the one that a
// person has given.
func TestTooMany(t *testing.T) {
	t.Parallel()
	const name, first = "db.password", "Tulip-Meadow-Harbor"
	w, s := open(t), &service{value: first}
	w.Set(name, first)
	for range 19 {
		if err := w.try(wire.MethodSecretsGenerate, wire.SecretGenerate{Name: name, By: owner}); err != nil {
			t.Fatal(err)
		}
	}
	done := w.noted()
	given := func(m wire.Method) (string, wire.SecretBox) {
		o := w.open(m, name)
		return o.Nonce, w.box(o, m, name, value)
	}
	provide, rotate := wire.SecretProvide{Name: name, By: owner}, wire.SecretRotate{Name: name, By: owner}
	provide.Nonce, provide.Box = given(wire.MethodSecretsProvide)
	rotate.Nonce, rotate.Box = given(wire.MethodSecretsRotate)
	for m, params := range map[wire.Method]any{
		wire.MethodSecretsGenerate: wire.SecretGenerate{Name: name, By: owner},
		wire.MethodSecretsProvide:  provide,
		wire.MethodSecretsRotate:   rotate,
		wire.MethodSecretsRollback: wire.SecretRollback{Name: name, Version: 19, By: owner},
	} {
		if err := w.try(m, params); code(err) != "conflict" || !strings.Contains(err.Error(), ": This secret had 20 new values within a day") || !strings.Contains(err.Error(), "try again tomorrow") {
			t.Errorf("%s: %v", m, err)
		}
	}
	w.changes(s)
	if err := w.try(wire.MethodSecretsRotate, wire.SecretRotate{Name: name, By: owner}); code(err) != "conflict" || s.value != first {
		t.Errorf("changed in its service: %v", err)
	}
	if all := w.noted(); !slices.Equal(all, done) {
		t.Errorf("receipts %v of something that was refused", all[len(done):])
	}
	known, err := w.Vault.Known(t.Context())
	if err != nil || len(known) != 20 || known[0].Value != first {
		t.Errorf("%d known, %v", len(known), err)
	}
	if _, err := w.Vault.Put(t.Context(), vault.New{Name: name, Value: secret.New(value), By: "operator"}); err != nil {
		t.Errorf("the operator is held back: %v", err)
	}
}

// TestRefused_noReceipt: what the vault refuses leaves no receipt as if it had been done, and uses up no signature.
func TestRefused_noReceipt(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "db.password"
	w.Set(name, "canary-before")
	bind := wire.SecretBind{Name: name, By: owner, Bindings: []wire.SecretBinding{{Tool: "shell", Field: "x"}}}
	body, err := wire.SecretBindBody(bind)
	if err != nil {
		t.Fatal(err)
	}
	bind.Signature = w.sign(wire.ChangeSecretBind, body)
	o := w.open(wire.MethodSecretsProvide, name)
	for m, c := range map[wire.Method]struct {
		params any
		code   string
	}{
		wire.MethodSecretsProvide:  {wire.SecretProvide{Name: name, Kind: "none such", Nonce: o.Nonce, Box: w.box(o, wire.MethodSecretsProvide, name, value), By: owner}, "bad_request"},
		wire.MethodSecretsGenerate: {wire.SecretGenerate{Name: "DB Password", By: owner}, "bad_request"},
		wire.MethodSecretsRotate:   {wire.SecretRotate{Name: name, By: owner}, "conflict"},
		wire.MethodSecretsRollback: {wire.SecretRollback{Name: name, Version: 9, By: owner}, "not_found"},
		wire.MethodSecretsBind:     {bind, "bad_request"},
	} {
		if err := w.try(m, c.params); code(err) != c.code {
			t.Errorf("%s: %v", m, err)
		}
	}
	if all := w.noted(); len(all) > 0 {
		t.Errorf("receipts %v of something that was refused", all)
	}
}

// TestBind_changedMeanwhile: of two people who change the places of one secret, the later one is told what the earlier one
// did, and undoes nothing. What was seen is signed for; a hub that does not know of it binds as before.
func TestBind_changedMeanwhile(t *testing.T) {
	t.Parallel()
	w := open(t)
	const name = "db.password"
	w.Set(name, "canary-before")
	seen, err := w.Vault.Info(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	bind := func(base, host string) wire.SecretBind {
		b := wire.SecretBind{Name: name, BaseHash: base, By: owner, Bindings: []wire.SecretBinding{{Tool: "http_request", Scheme: "https", Host: host, Port: 443, Header: "X-Key"}}}
		body, err := wire.SecretBindBody(b)
		if err != nil {
			t.Fatal(err)
		}
		b.Signature = w.sign(wire.ChangeSecretBind, body)
		return b
	}
	moved := bind(seen.BindingsHash, "moved.example.com")
	moved.BaseHash = ""
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, moved); code(err) != "signature_required" {
		t.Errorf("what the person saw was taken out of the frame: %v", err)
	}
	first, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, bind(seen.BindingsHash, "first.example.com"))
	if err != nil || first.BindingsHash == seen.BindingsHash {
		t.Fatalf("%+v, %v", first, err)
	}
	late := bind(seen.BindingsHash, "late.example.com")
	_, err = ask[wire.SecretInfo](w, wire.MethodSecretsBind, late)
	if code(err) != "conflict" || !strings.Contains(err.Error(), "https://first.example.com:443 header X-Key") || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("bound over what another had bound: %v", err)
	}
	if now, err := w.Vault.Info(t.Context(), name); err != nil || len(now.Bindings) != 1 || now.Bindings[0].Host != "first.example.com" {
		t.Errorf("%+v, %v", now.Bindings, err)
	}
	if i, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, bind(first.BindingsHash, "second.example.com")); err != nil || i.Bindings[0].Host != "second.example.com" {
		t.Errorf("on top of what holds: %+v, %v", i, err)
	}
	if i, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, bind("", "older.example.com")); err != nil || i.Bindings[0].Host != "older.example.com" {
		t.Errorf("an older hub: %+v, %v", i, err)
	}
}

func TestOtherActs(t *testing.T) {
	t.Parallel()
	w := open(t)
	i, err := ask[wire.SecretInfo](w, wire.MethodSecretsGenerate, wire.SecretGenerate{Name: "db.password", By: owner})
	if err != nil || i.Source != vault.FromGenerator {
		t.Fatalf("%+v, %v", i, err)
	}
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsRotate, wire.SecretRotate{Name: "db.password", By: owner}); code(err) != "conflict" {
		t.Errorf("rotated without a way to: %v", err)
	}
	o := w.open(wire.MethodSecretsRotate, "db.password")
	i, err = ask[wire.SecretInfo](w, wire.MethodSecretsRotate, wire.SecretRotate{Name: "db.password", Nonce: o.Nonce, Box: w.box(o, wire.MethodSecretsRotate, "db.password", value), By: owner})
	if err != nil || i.Version != 2 {
		t.Errorf("%+v, %v", i, err)
	}
	i, err = ask[wire.SecretInfo](w, wire.MethodSecretsRollback, wire.SecretRollback{Name: "db.password", Version: 1, By: owner})
	if err != nil || i.Version != 3 {
		t.Errorf("%+v, %v", i, err)
	}
	b := wire.SecretBind{Name: "db.password", By: owner, Bindings: []wire.SecretBinding{{Tool: "http_request", Scheme: "https", Host: "db.example.com", Port: 443, Header: "X-Key"}}}
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, b); code(err) != "signature_required" {
		t.Errorf("bound without a signature: %v", err)
	}
	body, err := wire.SecretBindBody(b)
	if err != nil {
		t.Fatal(err)
	}
	b.Signature = w.sign(wire.ChangeSecretBind, body)
	moved := b
	moved.Bindings = []wire.SecretBinding{{Tool: "http_request", Scheme: "https", Host: "evil.example.com", Port: 443, Header: "X-Key"}}
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, moved); code(err) != "signature_required" {
		t.Errorf("bound to a place that was not signed: %v", err)
	}
	if i, err = ask[wire.SecretInfo](w, wire.MethodSecretsBind, b); err != nil || len(i.Bindings) != 1 {
		t.Errorf("%+v, %v", i, err)
	}
	if _, err := ask[wire.SecretInfo](w, wire.MethodSecretsBind, b); code(err) != "signature_required" {
		t.Errorf("a signature was used twice: %v", err)
	}
	if list, err := ask[wire.SecretsResult](w, wire.MethodSecretsList, struct{}{}); err != nil || len(list.Items) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = ask[wire.SecretInfo](w, wire.MethodSecretsGenerate, wire.SecretGenerate{Name: "DB Password", By: owner})
	if code(err) != "bad_request" || !strings.Contains(err.Error(), ": The name needs two words") || !strings.HasSuffix(err.Error(), ".") {
		t.Errorf("a name that is none is refused with %v", err)
	}
	for m, bad := range map[wire.Method]string{"secrets.dump": "{}", wire.MethodSecretsGenerate: `{"name":"a.b","value":"x"}`, wire.MethodSecretsOpen: `{"method":"secrets.list","name":"a.b"}`} {
		if _, err := w.counter.Methods().Answer(t.Context(), m, json.RawMessage(bad)); code(err) != "bad_request" {
			t.Errorf("%s: %v", m, err)
		}
	}
}
