package webhook_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/config"
	"gatehouse/agentd/egress"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/hook/proof"
	"gatehouse/agentd/netguard"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// aSecret is that of every address here.
const aSecret = "a secret that the receiver knows"

// world is the schedules of a server and their addresses, on a real store, a real gate, a real vault and real keys of an owner.
type world struct {
	*gatetest.World
	*webhook.Webhooks
	plans *schedule.Schedules
	runs  *runs
	vault *vault.Vault
	dir   string
	stop  func() error

	mu   sync.Mutex
	skew time.Duration
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.skew)
}

// pass moves the clock.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	w.skew += d
	w.mu.Unlock()
	w.Wake()
	w.plans.Wake()
}

// deletes deletes the conversation of a schedule, as the runtime does: its runs are gone.
func (w *world) deletes(s wire.Schedule, also func(*sql.Tx, string) error) error {
	ctx := context.Background()
	return w.DB.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO deleted_sessions (id, at) VALUES (?, 1)", s.Session); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE test_runs SET answer = ''"); err != nil {
			return err
		}
		return also(tx, s.Session)
	})
}

// runs keeps what was begun in a table beside those of the schedules.
type runs struct {
	w     *world
	taint []policy.Source
}

func (*runs) Begin(tx *sql.Tx, s schedule.Start) error {
	_, err := tx.ExecContext(context.Background(), "INSERT INTO test_runs (id, state, answer) VALUES (?,'running','')", s.RunID)
	return err
}

func (*runs) Outcome(tx *sql.Tx, id string) (o schedule.Outcome, err error) {
	err = tx.QueryRowContext(context.Background(), "SELECT state FROM test_runs WHERE id = ?", id).Scan(&o.State)
	o.Why = "the model did not answer"
	return o, err
}

func (r *runs) Answer(ctx context.Context, id string) (a webhook.Answer, err error) {
	err = r.w.DB.Read().QueryRowContext(ctx, "SELECT answer FROM test_runs WHERE id = ?", id).Scan(&a.Text)
	a.Taint = r.taint
	return a, err
}

// keys keeps secrets in a real vault; a box holds its value.
type keys struct{ w *world }

func (keys) Unseal(_ context.Context, name, nonce string, box wire.SecretBox) (secret.Value, error) {
	if nonce != "nonce of "+name {
		return secret.Value{}, &wire.RPCError{Code: "conflict", Text: "This page is too old."}
	}
	return secret.New(string(box)), nil
}

func (k keys) Keep(ctx context.Context, name string, v secret.Value, by wire.DecidedBy, also func(*sql.Tx) error) error {
	_, err := k.w.vault.Put(ctx, vault.New{Name: name, Kind: vault.KindToken, Value: v, Source: vault.FromOwner, By: by.Name}, also)
	return err
}

func (k keys) Key(ctx context.Context, name string) (secret.Value, error) {
	v, err := k.w.vault.Own(ctx, name, "test")
	if errors.Is(err, vault.ErrUnknown) {
		return secret.Value{}, nil
	}
	return v, err
}

func (k keys) Drop(ctx context.Context, name string, by wire.DecidedBy, also func(*sql.Tx) error) error {
	if err := k.w.vault.Remove(ctx, name, by.Name, also); !errors.Is(err, vault.ErrUnknown) {
		return err
	}
	return nil
}

// scans looks at what leaves, as the daemon does.
type scans struct{}

func (scans) Look(l gate.Leaving) (policy.Opinion, []string) {
	v := egress.Scanner{Secrets: redact.Current()}.Scan(egress.Outgoing{Channel: l.Tool, Text: l.Text})
	var kinds []string
	for _, f := range v.Findings {
		kinds = append(kinds, string(f.Kind))
	}
	return policy.Opinion(v.Decision), kinds
}

func (scans) Left([]string) {}

// open opens or reopens the world in dir. through stands before the gate; nil: nothing does.
func open(dir string, through func(gate.Doer) gate.Doer) (w *world, err error) {
	w = &world{dir: dir, stop: func() error { return nil }}
	fake := &gatetest.Fake{Name: "fake", Ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}}
	tool := &late{(*webhook.Webhooks)(nil).Tool()}
	with := func(d *gate.Deps) { d.Outgoing = scans{} }
	if w.World, err = gatetest.OpenWith(dir, w.now, with, fake, tool); err != nil {
		return nil, err
	}
	ctx, state := context.Background(), filepath.Join(dir, "state")
	err = w.DB.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS test_runs (id TEXT PRIMARY KEY, state TEXT, answer TEXT)")
		return err
	})
	if err != nil {
		return nil, err
	}
	if w.vault, err = vault.Open(ctx, w.DB, vault.Keys{Dir: state}, w.now); err != nil {
		return nil, err
	}
	w.runs = &runs{w: w}
	doer := gate.Doer(w.Gate)
	if through != nil {
		doer = through(doer)
	}
	w.Webhooks, err = webhook.New(ctx, webhook.Deps{
		DB: w.DB, Receipts: w.Log, Signed: w.Keys, Keys: keys{w}, Answers: w.runs, Gate: doer, Dir: state, Resolve: netguard.System,
		Now: w.now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	w.plans = schedule.New(schedule.Deps{
		DB: w.DB, Receipts: w.Log, Runs: w.runs, Now: w.now, Log: slog.New(slog.DiscardHandler), Webhooks: w.Webhooks,
		HasAgent: func(string) bool { return true }, Paused: func(string) *wire.AgentPause { return nil },
		Config: func() wire.Config { return wire.Config{DefaultLevel: 2, TimeZone: "UTC"} },
	})
	tool.Tool = w.Tool()
	return w, nil
}

// late is the tool of addresses, which are made after the gate that recovers its calls.
type late struct{ gate.Tool }

// Measure implements gate.Measurer.
func (l *late) Measure(ctx context.Context, args json.RawMessage) (gate.Measured, error) {
	return l.Tool.(gate.Measurer).Measure(ctx, args)
}

// run keeps deliveries going until close.
func (w *world) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	w.stop = func() error {
		cancel()
		closing, end := context.WithTimeout(context.Background(), 5*time.Second)
		defer end()
		w.Gate.Close(closing)
		return <-done
	}
}

func (w *world) close() error { return errors.Join(w.stop(), w.Close()) }

func startIn(t testing.TB, dir string) *world {
	t.Helper()
	storetest.Seed(t, filepath.Join(dir, "state"))
	w, err := open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.run()
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// receiver is a program outside.
type receiver struct {
	*httptest.Server

	mu  sync.Mutex
	got []received
	say http.HandlerFunc // nil: 204
}

// received is one request.
type received struct {
	header http.Header
	body   []byte
}

func receives(t testing.TB, say http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{say: say}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.got = append(r.got, received{req.Header.Clone(), body})
		say := r.say
		r.mu.Unlock()
		if say == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		say(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) says(say http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.say = say
}

func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received{}, r.got...)
}

// lists has the operator allow origins on this machine.
func lists(t testing.TB, dir string, origins ...string) {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"local": origins})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "state", webhook.LocalFile), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ask asks as the link does.
func ask[R any](w *world, m wire.Method, params any) (r R, err error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return r, err
	}
	got, err := w.plans.Methods().Answer(context.Background(), m, raw)
	if err != nil {
		return r, err
	}
	r, ok := got.(R)
	if !ok {
		return r, fmt.Errorf("%s answers %T", m, got)
	}
	return r, nil
}

// plan makes a schedule.
func (w *world) plan(t testing.TB) wire.Schedule {
	t.Helper()
	s, err := ask[wire.Schedule](w, wire.MethodScheduleCreate, wire.ScheduleCreate{
		ID: uuid.NewString(), Agent: "secretary", Kind: wire.ScheduleEvery, Spec: "1h", Task: "Count the orders",
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// setting is the act that sets an address.
func setting(s wire.Schedule, address string) wire.WebhookAct {
	return wire.WebhookAct{
		ID: uuid.Must(uuid.NewV7()).String(), Do: wire.WebhookSet, Schedule: s.ID, Agent: s.Agent, Task: s.Task, URL: address,
		SecretHash: proof.Hash([]byte(aSecret)), Version: s.Version,
	}
}

// act has the owner sign an act and carries it out. with may spoil it.
func (w *world) act(a wire.WebhookAct, with func(*wire.WebhookChange)) (wire.Schedule, error) {
	c := wire.WebhookChange{
		Act: a, By: wire.DecidedBy{Role: "owner", Name: "owner@example.com"}, Nonce: "nonce of schedule." + a.Schedule, Box: aSecret,
	}
	raw, err := canonical.Of(a)
	if err != nil {
		return wire.Schedule{}, err
	}
	var version int64
	err = w.DB.Write(context.Background(), func(tx *sql.Tx) (err error) {
		version, err = config.VersionTx(w.DB, tx)
		return err
	})
	if err != nil {
		return wire.Schedule{}, err
	}
	text := wire.ChangeText(gatetest.ServerID, wire.ChangeWebhook, canonical.Sum(raw), version, w.now())
	if c.Signature, err = gatetest.Signer().Sign(text, w.now()); err != nil {
		return wire.Schedule{}, err
	}
	if with != nil {
		with(&c)
	}
	return ask[wire.Schedule](w, wire.MethodScheduleWebhook, c)
}

// sends is a schedule whose results go to an address.
func (w *world) sends(t testing.TB, address string) wire.Schedule {
	t.Helper()
	s, err := w.act(setting(w.plan(t), address), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ran has a schedule run, and its run end with an answer.
func (w *world) ran(s wire.Schedule, state wire.RunState, answer string) error {
	if err := w.begins(s); err != nil {
		return err
	}
	return w.ends(state, answer)
}

// begins has a schedule begin a run.
func (w *world) begins(s wire.Schedule) error {
	_, err := ask[wire.ScheduleTick](w, wire.MethodScheduleRun, wire.ScheduleRun{ID: s.ID, RunID: uuid.NewString()})
	return err
}

// ends has the run that is at work end with an answer.
func (w *world) ends(state wire.RunState, answer string) error {
	return w.DB.Write(context.Background(), func(tx *sql.Tx) error {
		ctx := context.Background()
		var run string
		if err := tx.QueryRowContext(ctx, "SELECT id FROM test_runs WHERE state = 'running'").Scan(&run); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE test_runs SET state = ?, answer = ? WHERE id = ?", state, answer, run); err != nil {
			return err
		}
		return w.plans.RunEnded(tx, run)
	})
}

func (w *world) runs1(t testing.TB, s wire.Schedule, answer string) {
	t.Helper()
	if err := w.ran(s, wire.RunDone, answer); err != nil {
		t.Fatal(err)
	}
}

// last is the way of the newest result, as the page shows it.
func (w *world) last(t testing.TB, s wire.Schedule) wire.ScheduleDelivery {
	t.Helper()
	got, err := ask[wire.ScheduleTicks](w, wire.MethodScheduleTicks, wire.ScheduleTicksParams{ID: s.ID})
	if err != nil || len(got.Items) == 0 || got.Items[0].Delivery == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	return *got.Items[0].Delivery
}

// until waits until a delivery is in a state after a number of attempts.
func (w *world) until(t testing.TB, s wire.Schedule, state wire.DeliveryState, attempts int) wire.ScheduleDelivery {
	t.Helper()
	end := time.Now().Add(40 * time.Second)
	for {
		d := w.last(t, s)
		if d.State == state && len(d.Attempts) == attempts {
			return d
		}
		if time.Now().After(end) {
			t.Fatalf("want %s after %d attempts: %+v", state, attempts, d)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
