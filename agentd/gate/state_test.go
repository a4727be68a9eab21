package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/wire"
)

// machine drives a gate with random calls, answers, replays, forgeries, changes of the rules, of the time, and
// restarts. It keeps its own idea of what was ever allowed, made without any code of the gate.
type machine struct {
	dir    string
	clock  *clock
	ledger *gatetest.Ledger
	w      *gatetest.World

	calls   []gate.Call
	flights map[string]*flight
	asked   []wire.Approval // every approval ever seen
	level   int
	version int64
	leave   map[string]string // why a call may have run, by id
}

func newMachine(t *rapid.T, dir string) *machine {
	m := &machine{
		dir: dir, clock: newClock(), ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")},
		flights: map[string]*flight{}, level: 2, leave: map[string]string{},
	}
	m.start(t)
	return m
}

func (m *machine) start(t *rapid.T) {
	storetest.Seed(t, filepath.Join(m.dir, "state"))
	w, err := gatetest.Open(m.dir, m.clock.now, &gatetest.Fake{Name: "act", Ledger: m.ledger},
		&gatetest.Fake{Name: "write", Once: true, Ledger: m.ledger})
	if err != nil {
		t.Fatal(err)
	}
	m.w = w
}

// free is the decision table once more, for the machine's own judgement.
func free(tier string, level int) bool {
	return tier == "green" || tier == "yellow" && level >= 2 || tier == "red" && level == 3
}

func (m *machine) call(t *rapid.T) {
	tier := rapid.SampledFrom([]string{"green", "yellow", "yellow_external", "red", "critical_red", "forbidden"}).Draw(t, "tier")
	mode := rapid.SampledFrom([]string{"", "", "fails", "refuses", "panics", "classify-panics"}).Draw(t, "mode")
	args, err := json.Marshal(gatetest.Args{Tier: tier, Key: fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "key")), Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	run, callID := newID(t), newID(t)
	c := gate.Call{
		ID: callID, RunID: run, RootRunID: run, SessionID: run, Agent: "secretary",
		Tool: rapid.SampledFrom([]string{"act", "write"}).Draw(t, "tool"), Args: args, Level: 3,
	}
	if free(tier, m.level) && mode != "classify-panics" {
		m.leave[c.ID] = "rules"
	}
	m.calls = append(m.calls, c)
	m.fly(t, c)
}

func newID(t *rapid.T) string {
	u, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return u.String()
}

// fly starts a call and waits until it has ended or waits for a person.
func (m *machine) fly(t *rapid.T, c gate.Call) {
	ctx, stop := context.WithCancel(context.Background())
	f := &flight{done: make(chan struct{}), stop: stop}
	waits := make(chan struct{}, 16)
	w := m.w
	go func() {
		defer close(f.done)
		f.out, f.err = w.Gate.Do(ctx, c, func(w bool) {
			if w {
				waits <- struct{}{}
			}
		})
	}()
	m.flights[c.ID] = f
	select {
	case <-f.done:
	case <-waits:
	case <-time.After(forLong):
		t.Fatal("a call neither waits nor ends")
	}
	m.look(t)
}

// look notes every approval there is.
func (m *machine) look(t *rapid.T) {
	for _, c := range m.calls {
		all, err := m.w.Gate.OfRuns(context.Background(), []string{c.RunID})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			m.see(*a)
		}
	}
}

func (m *machine) see(a wire.Approval) {
	for i := range m.asked {
		if m.asked[i].ID == a.ID {
			m.asked[i] = a
			return
		}
	}
	m.asked = append(m.asked, a)
}

// answer delivers a decision about any approval ever seen: in time or late, true or forged, for the first time or
// again.
func (m *machine) answer(t *rapid.T) {
	if len(m.asked) == 0 {
		t.Skip("nothing was asked")
	}
	m.look(t)
	a := rapid.SampledFrom(m.asked).Draw(t, "approval")
	d := gatetest.Answer(a, rapid.SampledFrom([]wire.Verb{
		wire.AllowOnce, wire.AllowOnce, wire.AllowWindow, wire.Edit, wire.Deny,
		"maybe",
	}).Draw(t, "verb"))
	d.Minutes = rapid.SampledFrom([]int{0, 30, 61, 480, 481, -5}).Draw(t, "minutes")
	d.Args = json.RawMessage(rapid.SampledFrom([]string{
		`{"tier":"yellow","key":"e"}`, `{"tier":"red","key":"e"}`,
		`{"tier":"forbidden","key":"e"}`, `{"tier":"red"}`,
	}).Draw(t, "args"))
	forged := rapid.IntRange(0, 3).Draw(t, "forged")
	switch forged {
	case 1:
		d.Digest = wire.DigestOf(wire.Approval{ID: a.ID})
	case 2:
		d.By.Role = "staff"
	}
	if forged != 1 && forged != 2 && a.State == wire.ApprovalPending && m.clock.now().Before(a.ExpiresAt) {
		m.grant(a, d)
	}
	if err := m.w.Decide(d); err != nil {
		t.Fatal(err)
	}
	m.settle(t)
}

// grant notes what a true decision allows.
func (m *machine) grant(a wire.Approval, d wire.Decision) {
	switch d.Verb {
	case wire.AllowOnce, wire.Edit:
		m.leave[a.CallID] = "person"
	case wire.AllowWindow:
		m.leave[a.CallID] = "person"
		for _, c := range m.calls { // from now on others of this tool may run as well
			if c.Tool == a.Tool {
				m.leave[c.ID] += "window"
			}
		}
		m.leave["window "+a.Tool] = "open"
	}
}

// settle waits until every call has ended or waits again.
func (m *machine) settle(t *rapid.T) {
	for id, f := range m.flights {
		for deadline := time.Now().Add(forLong); ; time.Sleep(time.Millisecond) {
			if f.ended() {
				break
			}
			var open int
			if err := m.w.DB.Read().QueryRowContext(t.Context(),
				"SELECT count(*) FROM gate_approvals WHERE call_id = ? AND state = 'pending'", id).Scan(&open); err != nil {
				t.Fatal(err)
			}
			if open > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("call %s neither waits nor ends", id)
			}
		}
	}
	m.look(t)
}

func (f *flight) ended() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

func (m *machine) configure(t *rapid.T) {
	m.version++
	m.level = rapid.IntRange(1, 3).Draw(t, "level")
	if err := m.w.Config.Adopt(context.Background(), wire.Config{Version: m.version, DefaultLevel: m.level}); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.calls { // what waits may become free to run
		var in gatetest.Args
		if json.Unmarshal(c.Args, &in) == nil && free(in.Tier, m.level) && !m.flights[c.ID].ended() {
			m.leave[c.ID] += "rules"
		}
	}
}

func (m *machine) pass(t *rapid.T) {
	m.clock.move(time.Duration(rapid.SampledFrom([]int{-26, -1, 1, 7, 25}).Draw(t, "hours")) * time.Hour)
}

func (m *machine) stop(t *rapid.T) {
	if len(m.calls) == 0 {
		t.Skip("nothing runs")
	}
	f := m.flights[rapid.SampledFrom(m.calls).Draw(t, "call").ID]
	f.stop()
	<-f.done
}

// restart ends the process in its own way, and comes back to every call, as the runtime does.
func (m *machine) restart(t *rapid.T) {
	if err := m.w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.flights {
		<-f.done
	}
	m.start(t)
	for _, c := range m.calls {
		if f := m.flights[c.ID]; f.err != nil || rapid.Bool().Draw(t, "again") {
			m.fly(t, c)
		}
	}
}

// check is the oracle: what happened was allowed, once, and the records were there first.
func (m *machine) check(t *rapid.T) {
	effects, err := m.ledger.Effects()
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, e := range effects {
		ran[e.CallID]++
		if ran[e.CallID] > 1 {
			t.Fatalf("call %s ran twice", e.CallID)
		}
		if m.leave[e.CallID] == "" && m.leave["window "+m.toolOf(e.CallID)] == "" {
			t.Fatalf("call %s ran without leave", e.CallID)
		}
		m.recorded(t, e.CallID)
	}
}

func (m *machine) toolOf(callID string) string {
	for _, c := range m.calls {
		if c.ID == callID {
			return c.Tool
		}
	}
	return "?"
}

// recorded fails unless a decision and the intent of a call are on record, in this order.
func (m *machine) recorded(t *rapid.T, callID string) {
	var decided, started int64
	q := "SELECT coalesce(max(seq), 0) FROM receipts WHERE call_id = ? AND type "
	err := errors.Join(
		m.w.DB.Read().QueryRowContext(t.Context(), q+"IN ('call.allowed', 'call.approved')", callID).Scan(&decided),
		m.w.DB.Read().QueryRowContext(t.Context(), q+"= 'call.started'", callID).Scan(&started),
	)
	if err != nil || decided == 0 || started < decided {
		t.Fatalf("call %s had its effect with decision %d and start %d on record, %v", callID, decided, started, err)
	}
}

func TestGate_stateMachine(t *testing.T) {
	t.Parallel()
	root, n := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		m := newMachine(r, filepath.Join(root, fmt.Sprint(n)))
		defer func() {
			if err := m.w.Close(); err != nil {
				r.Error(err)
			}
			for _, f := range m.flights {
				<-f.done
			}
		}()
		r.Repeat(map[string]func(*rapid.T){
			"call": m.call, "answer": m.answer, "configure": m.configure, "pass": m.pass, "stop": m.stop, "restart": m.restart,
			"": m.check,
		})
		if err := m.w.Log.Check(context.Background()); err != nil {
			r.Fatal(err)
		}
	})
}
