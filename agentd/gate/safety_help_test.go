package gate_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// reacher is a tool whose calls name whom they reach, what they touch and how risky they are.
type reacher struct{ ledger *gatetest.Ledger }

type reach struct {
	Tier   string `json:"tier"`
	To     string `json:"to,omitempty"`
	Path   string `json:"path,omitempty"`
	Action string `json:"action,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Files  int64  `json:"files,omitempty"`
	Text   string `json:"text,omitempty"`

	Money *policy.Money `json:"money,omitempty"`
}

func (r *reacher) Definition() tool.Definition {
	return tool.Definition{Name: "reach", Args: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
		"tier":{},"to":{},"path":{},"action":{},"bytes":{},"files":{},"text":{},"money":{}}}`)}
}

func (r *reacher) Classify(args json.RawMessage) policy.Class {
	var in reach
	if err := json.Unmarshal(args, &in); err != nil {
		return policy.Refuse("reach.call.unreadable", "arguments do not fit")
	}
	c := policy.Class{Tier: policy.Tier(in.Tier), Action: "reach.someone.do", Says: "Reach " + in.To, Money: in.Money}
	if in.Action != "" {
		c.Action = in.Action
	}
	if in.To != "" {
		c.Outside = []string{in.To}
	}
	return c
}

// Measure says what the arguments claim to touch.
func (r *reacher) Measure(_ context.Context, args json.RawMessage) (gate.Measured, error) {
	var in reach
	err := json.Unmarshal(args, &in)
	return gate.Measured{Facts: []tool.Fact{{Name: "files", Value: in.Files}, {Name: "bytes", Value: in.Bytes}}}, err
}

func (r *reacher) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "reached", Summary: "Reached"}, r.ledger.Append(p.CallID(), args)
}

// safe is a bench with a reacher and whatever else the gate shall stand on.
type safe struct {
	*bench
	with func(*gate.Deps)
}

func openSafe(t *testing.T, with func(*gate.Deps)) *safe {
	t.Helper()
	dir := t.TempDir()
	l := &gatetest.Ledger{Path: dir + "/ledger"}
	s := &safe{bench: &bench{t: t, dir: dir, clock: newClock(), ledger: l}, with: with}
	s.tools = []gate.Tool{&gatetest.Fake{Name: "act", Ledger: l}, &reacher{l}}
	s.start()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *safe) start() {
	s.t.Helper()
	if s.with == nil {
		s.with = func(*gate.Deps) {}
	}
	s.seed()
	w, err := gatetest.OpenWith(s.dir, s.clock.now, func(d *gate.Deps) {
		d.Root = "/data"
		s.with(d)
	}, s.tools...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.World = w
}

func (s *safe) restart() {
	s.t.Helper()
	if err := s.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.start()
}

// reach makes a call of the reacher in a run.
func (s *safe) reach(run string, in reach) gate.Call {
	s.t.Helper()
	args, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	if run == "" {
		run = id(s.t)
	}
	return gate.Call{
		ID: id(s.t), RunID: run, RootRunID: run, SessionID: id(s.t), Agent: "secretary", Tool: "reach", Args: args,
		Reason: "because", Level: 3, Origin: wire.Origin{Channel: "portal"},
	}
}

// effect says what the gate does with a call: allow, ask or deny. What is asked is denied, so that it does not linger.
func (s *safe) effect(c gate.Call) (policy.Effect, string) {
	s.t.Helper()
	f := s.fly(c)
	select {
	case <-f.done:
	case <-f.parked:
		open, err := s.Pending(c.RunID)
		if err != nil || len(open) != 1 {
			s.t.Fatalf("pending approvals: %d, %v", len(open), err)
		}
		s.decide(gatetest.Answer(open[0], wire.Deny))
		f.end(s.t)
		return policy.Ask, open[0].WhyAsked
	case <-time.After(forLong):
		s.t.Fatal("call neither asked nor ended")
	}
	if f.err != nil {
		s.t.Fatal(f.err)
	}
	if f.out.State == wire.ToolDone {
		return policy.Allow, ""
	}
	return policy.Deny, f.out.Text
}

func (s *safe) wantEffect(what string, c gate.Call, want policy.Effect) string {
	s.t.Helper()
	got, why := s.effect(c)
	if got != want {
		s.t.Errorf("%s: %s, want %s (%s)", what, got, want, why)
	}
	return why
}

// setRules puts a permissions.yaml in force.
func (s *safe) setRules(text string) {
	s.t.Helper()
	_, base := s.Config.State().Rules()
	v, err := uuid.NewV7()
	if err != nil {
		s.t.Fatal(err)
	}
	p, err := json.Marshal(wire.PermissionsSet{ID: v.String(), Base: base, Text: text, By: wire.Origin{Channel: "portal"}})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.Config.Methods().Answer(s.t.Context(), wire.MethodPermissionsSet, p); err != nil {
		s.t.Fatal(err)
	}
}

// judge is a guardian that says what the test wants, and remembers what it was shown.
type judge struct {
	mu   sync.Mutex
	says func(ctx context.Context, m gate.Matter) wire.Judgement
	seen []gate.Matter
	off  bool
}

func (j *judge) Model() (string, bool) { return "test", false }
func (j *judge) On(mode string) bool   { return !j.off && mode != "off" }
func (j *judge) Judge(ctx context.Context, m gate.Matter) wire.Judgement {
	j.mu.Lock()
	j.seen = append(j.seen, m)
	j.mu.Unlock()
	return j.says(ctx, m)
}

func verdict(v string) func(context.Context, gate.Matter) wire.Judgement {
	return func(context.Context, gate.Matter) wire.Judgement {
		return wire.Judgement{Verdict: v, Reason: "because", Model: "test"}
	}
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
