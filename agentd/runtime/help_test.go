package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dispatch"
	"gatehouse/agentd/tools/subagent"
	"gatehouse/agentd/wire"
)

// model is a provider whose answers are a function of what it is asked.
type model struct {
	answer func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error)
}

func (m model) Name() string    { return "test-model" }
func (m model) Rehearsal() bool { return false }
func (m model) Stream(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
	return m.answer(ctx, o, text)
}

// says answers with a text at once.
func says(s string) model {
	return model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		return say(s, text)
	}}
}

func say(s string, text func(string)) (llm.Reply, error) {
	text(s)
	return llm.Reply{Text: s, Usage: llm.Usage{Input: 10, Output: 2}}, nil
}

func calls(all ...llm.Call) (llm.Reply, error) {
	return llm.Reply{Calls: all, Usage: llm.Usage{Input: 10, Output: 2}}, nil
}

func doit(id, tier, key, mode string) llm.Call {
	b, _ := json.Marshal(gatetest.Args{Tier: tier, Key: key, Mode: mode}) // strings always marshal
	return llm.Call{ID: id, Name: "shell", Args: string(b)}
}

func hand(id, target, task string) llm.Call {
	return llm.Call{ID: id, Name: "agent_dispatch", Args: fmt.Sprintf(`{"target":%q,"task":%q}`, target, task)}
}

// newest is the last message that the model sees.
func newest(o llm.Outgoing) llm.Message { return o.Messages()[len(o.Messages())-1] }

// once calls c, then says what came of it.
func once(c ...llm.Call) model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.ToolReply {
			return say("The tool said: "+newest(o).Text, text)
		}
		return calls(c...)
	}}
}

// watch remembers every event and lets tests wait for one.
type watch struct {
	mu      sync.Mutex
	all     []wire.RunEvent
	at      []time.Time
	changed chan struct{}
}

func newWatch() *watch { return &watch{changed: make(chan struct{})} }

// Emit implements runtime.Emitter.
func (w *watch) Emit(e wire.RunEvent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all, w.at = append(w.all, e), append(w.at, time.Now())
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *watch) events() []wire.RunEvent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]wire.RunEvent{}, w.all...)
}

// until waits for an event of a run that pick accepts.
func (w *watch) until(t testing.TB, what string, pick func(wire.RunEvent) bool) wire.RunEvent {
	t.Helper()
	limit := time.After(time.Minute)
	for seen := 0; ; {
		w.mu.Lock()
		all, changed := w.all, w.changed
		w.mu.Unlock()
		for ; seen < len(all); seen++ {
			if pick(all[seen]) {
				return all[seen]
			}
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("%s did not come; events: %s", what, list(all))
		}
	}
}

func list(all []wire.RunEvent) string {
	s := ""
	for _, e := range all {
		s += fmt.Sprintf("\n%d %s %s", e.N, e.Event, e.Data)
	}
	return s
}

// end waits for the last event of a run.
func (w *watch) end(t testing.TB, runID string) wire.RunEvent {
	t.Helper()
	return w.until(t, "the end of "+runID, func(e wire.RunEvent) bool {
		return e.Root == runID && (e.Event == wire.EventFinal || e.Event == wire.EventError)
	})
}

// deltas waits until so many pieces of text were shown.
func (w *watch) deltas(t testing.TB, n int) {
	t.Helper()
	w.until(t, "another piece of the text", func(e wire.RunEvent) bool {
		if e.Event == wire.EventDelta {
			n--
		}
		return n == 0
	})
}

func data[T any](t testing.TB, e wire.RunEvent) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// server is a runtime on a real store, a real gate and real receipts.
type server struct {
	team team.Live
	*gatetest.World
	rt     *runtime.Runtime
	deps   runtime.Deps // of rt
	watch  *watch
	ledger *gatetest.Ledger
	shell  *gatetest.Fake
}

// idle is the fake tool without its effect.
type idle struct{ *gatetest.Fake }

func (i idle) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "done", Summary: "Done"}, nil
}

// late stands in for a runtime that does not exist yet when its tool is made.
type late struct {
	to atomic.Pointer[runtime.Runtime]
}

func (l *late) Dispatch(ctx context.Context, callID, runID, from, target, task, background string) (string, string, error) {
	return l.to.Load().Dispatch(ctx, callID, runID, from, target, task, background)
}

func (l *late) Spawn(ctx context.Context, callID, runID, agent, task string) (string, error) {
	return l.to.Load().Spawn(ctx, callID, runID, agent, task)
}

func (l *late) CheckSubs(ctx context.Context, callID, runID string, ids []string, wait bool) (string, int, error) {
	return l.to.Load().CheckSubs(ctx, callID, runID, ids, wait)
}

func (l *late) StopSub(ctx context.Context, callID, runID, id string) (string, error) {
	return l.to.Load().StopSub(ctx, callID, runID, id)
}

type options struct {
	model  llm.Provider
	limits runtime.Limits
	began  func(ctx context.Context, p gate.Permit, args json.RawMessage)
	once   bool
	// emitter takes the place of the watch.
	emitter runtime.Emitter
	// noLedgerSync lets the fake tool have no effect: its own file would be what is measured.
	noLedgerSync bool
	// tools take the place of the fake ones.
	tools func(dir string) ([]gate.Tool, error)
	// signed checks what people sign.
	signed runtime.Signers
	// shelf has the files of the business.
	shelf runtime.Shelf
	// sends says which channels send files.
	sends runtime.Sends
	// wrap stands between the runtime and its store.
	wrap func(runtime.Store) runtime.Store
	// now is the clock of the runtime; nil: that of the machine.
	now func() time.Time
	// with gives the gate further parts.
	with func(*gate.Deps)
	// over hears how runs end.
	over func(*server) runtime.Over
	// forget hears of deletions.
	forget runtime.Forget
}

// open makes or reopens a server in dir.
func open(dir string, o options) (*server, error) {
	s := &server{watch: newWatch(), ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}}
	s.shell = &gatetest.Fake{Name: "shell", Ledger: s.ledger, Began: o.began, Once: o.once, Limit: time.Minute}
	to := &late{}
	var err error
	var shell gate.Tool = s.shell
	if o.noLedgerSync {
		shell = idle{s.shell}
	}
	if o.emitter == nil {
		o.emitter = s.watch
	}
	all := []gate.Tool{shell}
	if o.tools != nil {
		if all, err = o.tools(dir); err != nil {
			return nil, err
		}
	}
	handing := []gate.Tool{dispatch.New(to), subagent.NewSpawn(to), subagent.NewCheck(to), subagent.NewStop(to)}
	if o.with == nil {
		o.with = func(*gate.Deps) {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	if s.World, err = gatetest.OpenWith(dir, time.Now, o.with, append(all, handing...)...); err != nil {
		return nil, err
	}
	agents := filepath.Join(dir, "state", "agents")
	if err := team.Install(agents); err != nil {
		return nil, err
	}
	tm, err := team.Load(agents, s.Gate.Definitions(), nil)
	if err != nil {
		return nil, err
	}
	s.team.Set(tm)
	s.deps = runtime.Deps{
		Store: s.DB, Model: o.model, Team: &s.team, Receipts: s.Log, Approvals: s.Gate, Tiers: s.Gate, Emitter: o.emitter,
		Config: func() wire.Config { return s.World.Config.State().Config() }, Root: filepath.Join(dir, "data"), Limits: o.limits,
		Signed: o.signed, Shelf: o.shelf, Forget: o.forget, Sends: o.sends, Now: o.now,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	if o.wrap != nil {
		s.deps.Store = o.wrap(s.DB)
	}
	if o.over != nil {
		s.deps.Over = o.over(s)
	}
	if s.rt, err = runtime.New(s.deps); err != nil {
		return nil, err
	}
	to.to.Store(s.rt)
	s.Log.Subscribe(s.rt.OnReceipt)
	s.Gate.Listen(s.rt)
	return s, s.rt.Start(context.Background(), s.Gate)
}

// close ends the server as SIGTERM would.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return errors.Join(s.rt.Close(ctx), s.World.Close())
}

func start(t testing.TB, o options) *server {
	t.Helper()
	return startIn(t, t.TempDir(), o)
}

func startIn(t testing.TB, dir string, o options) *server {
	t.Helper()
	storetest.Seed(t, filepath.Join(dir, "state"))
	s, err := open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func id(t testing.TB) string {
	t.Helper()
	v, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return v.String()
}

var owner = wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal", Address: "127.0.0.1"}

func message(t testing.TB, session, agent, text string) wire.ChatMessage {
	t.Helper()
	return wire.ChatMessage{RunID: id(t), SessionID: session, Agent: agent, Text: text, Time: time.Now().UTC(), From: owner}
}

func (s *server) post(t testing.TB, m wire.ChatMessage) {
	t.Helper()
	if _, err := s.rt.Post(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// accept takes a message in as a frame of the link does.
func (s *server) accept(t testing.TB, m wire.ChatMessage) {
	t.Helper()
	err := s.DB.Write(t.Context(), applying(func(tx tx) error { return s.rt.Accept(t.Context(), tx, m) }))
	if err != nil {
		t.Fatal(err)
	}
}

// ask posts a text in a conversation of its own and waits for the end.
func (s *server) ask(t testing.TB, agent, text string) (wire.ChatMessage, wire.RunEvent) {
	t.Helper()
	m := message(t, id(t), agent, text)
	s.post(t, m)
	return m, s.watch.end(t, m.RunID)
}

// call asks the runtime over RPC.
func call[T any](t testing.TB, s *server, m wire.Method, params any) T {
	t.Helper()
	b, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.rt.Methods().Answer(context.WithoutCancel(t.Context()), m, b)
	if err != nil {
		t.Fatalf("%s: %v", m, err)
	}
	out, ok := v.(T)
	if !ok {
		t.Fatalf("%s answers %T", m, v)
	}
	return out
}

func nowUTC() time.Time { return time.Now().UTC() }

// parked waits until the one open run waits for its person: the question is told a moment before.
func (s *server) parked(t testing.TB) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; {
		active, parked := s.rt.Active()
		if active == 0 && parked == 1 {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%d active, %d parked", active, parked)
		}
		time.Sleep(time.Millisecond)
	}
}

type (
	outgoing = llm.Outgoing
	reply    = llm.Reply
)
