package gate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

var fromMail = []policy.Source{{Source: "mail from x@evil.example", ID: "m-7"}}

// TestNeverAsk: a call that may ask nobody is refused where the rules would ask, with a sentence that says so, and leaves no approval;
// what runs alone runs, and what is forbidden is refused as before.
func TestNeverAsk(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.configure(wire.Config{Version: 1, DefaultLevel: 3})
	for _, tc := range []struct {
		in    reach
		taint []policy.Source
		state wire.ToolState
		text  string
	}{
		{reach{Tier: "green"}, nil, wire.ToolDone, ""},
		{reach{Tier: "green", To: "c2.evil.example"}, fromMail, wire.ToolDenied, "want a person to be asked"},
		{reach{Tier: "red"}, fromMail, wire.ToolDenied, "want a person to be asked"},
		{reach{Tier: "forbidden"}, nil, wire.ToolDenied, "refused"},
	} {
		c := s.reach("", tc.in)
		c.Taint, c.NeverAsk = tc.taint, true
		for range 2 { // and as often as it comes
			out := s.do(c)
			if s.wantState(out, tc.state); !strings.Contains(out.Text, tc.text) {
				t.Errorf("%+v: %q", tc.in, out.Text)
			}
			c.ID = id(t)
		}
		var approvals int
		if err := s.DB.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM gate_approvals").Scan(&approvals); err != nil {
			t.Fatal(err)
		}
		if approvals != 0 {
			t.Errorf("%+v: %d approvals", tc.in, approvals)
		}
	}
}

// TestTaint_raisesWhatIsAsked: behind content from outside, what runs alone is asked, and the question names the source.
func TestTaint_raisesWhatIsAsked(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.configure(wire.Config{Version: 1, DefaultLevel: 3, Agents: map[string]wire.AgentConfig{"secretary": {Unlocked: []string{"reach"}}}})
	for _, tc := range []struct {
		name    string
		in      reach
		request string
		want    policy.Effect // tainted; clean, all of these run
	}{
		{"green", reach{Tier: "green"}, "", policy.Allow},
		{"yellow", reach{Tier: "yellow"}, "", policy.Ask},
		{"red at level 3", reach{Tier: "red"}, "", policy.Ask},
		{"unlocked, nobody named", reach{Tier: "yellow_external", To: "ann@shop.example"}, "answer the mail", policy.Ask},
		{
			"unlocked, owner named the recipient",
			reach{Tier: "yellow_external", To: "ann@shop.example"},
			"answer Ann@Shop.example, please",
			policy.Allow,
		},
		{"unlocked, owner named a look-alike", reach{Tier: "yellow_external", To: "ann@shop.example"}, "answer ann@shop.example.org", policy.Ask},
		{"a read that tells a host", reach{Tier: "green", To: "c2.evil.example"}, "", policy.Ask},
		{
			"a read that tells a host that was named",
			reach{Tier: "green", To: "shop.example"},
			"look at https://shop.example/prices",
			policy.Allow,
		},
	} {
		clean := s.reach("", tc.in)
		clean.Request = tc.request
		s.wantEffect(tc.name+", clean", clean, policy.Allow)
		c := s.reach("", tc.in)
		c.Request, c.Taint = tc.request, fromMail
		if why := s.wantEffect(tc.name, c, tc.want); tc.want == policy.Ask && !strings.Contains(why, "mail from x@evil.example (m-7)") {
			t.Errorf("%s: the question does not name the source: %q", tc.name, why)
		}
	}
	c := s.reach("", reach{Tier: "yellow"})
	c.Taint = fromMail
	f, a := s.ask(c)
	if len(a.Taint) != 1 || a.Taint[0].ID != "m-7" {
		t.Errorf("%+v", a.Taint)
	}
	s.restart() // what tainted the call is on record
	f.stop()
	if got := s.approval(a.ID); len(got.Taint) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestGuardian_onlyTightens: a verdict may refuse or ask, and never lets through what is asked without it.
func TestGuardian_onlyTightens(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		says             func(context.Context, gate.Matter) wire.Judgement
		yellow, external policy.Effect
	}{
		"allow":    {verdict("allow"), policy.Allow, policy.Ask},
		"escalate": {verdict("escalate"), policy.Ask, policy.Ask},
		"block":    {verdict("block"), policy.Deny, policy.Deny},
		"rubbish":  {verdict("sure"), policy.Ask, policy.Ask},
		"nothing":  {verdict(""), policy.Ask, policy.Ask},
		"panics":   {func(context.Context, gate.Matter) wire.Judgement { panic("on purpose") }, policy.Ask, policy.Ask},
		"late": {func(context.Context, gate.Matter) wire.Judgement {
			select {} // deaf to the end of its time as well
		}, policy.Ask, policy.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, within := &judge{says: tc.says}, forLong
			if name == "late" {
				within = 500 * time.Millisecond // long enough that the question is put
			}
			s := openSafe(t, func(d *gate.Deps) { d.Guardian, d.JudgeWithin = j, within })
			c := s.reach("", reach{Tier: "yellow", Path: "a"})
			c.Request = "tidy up"
			s.wantEffect("yellow", c, tc.yellow)
			if got := s.body(c.RunID, "call.judged"); got["verdict"] == "" || got["reason"] == "" {
				t.Errorf("%v", got)
			}
			s.wantEffect("gated", s.reach("", reach{Tier: "yellow_external", To: "a@b.example"}), tc.external)
			green := s.reach("", reach{Tier: "green"})
			s.wantEffect("green", green, policy.Allow)
			s.wantTypes(green.RunID, "call.requested", "call.classified", "call.allowed", "call.started", "call.finished")
			s.wantEffect("forbidden", s.reach("", reach{Tier: "forbidden"}), policy.Deny)
			j.mu.Lock()
			defer j.mu.Unlock()
			for _, m := range j.seen {
				if m.Tier == policy.Green || m.Tier == policy.Forbidden {
					t.Errorf("it was asked about %s", m.Tier)
				}
			}
			if len(j.seen) != 2 || j.seen[0].Request != "tidy up" {
				t.Errorf("seen %+v", j.seen)
			}
		})
	}
}

// TestGuardian_onTheCard: who is asked sees the verdict; a green call of a tainted run gets a second look too.
func TestGuardian_onTheCard(t *testing.T) {
	t.Parallel()
	j := &judge{says: verdict("escalate")}
	s := openSafe(t, func(d *gate.Deps) { d.Guardian = j })
	c := s.reach("", reach{Tier: "green"})
	c.Taint = fromMail
	_, a := s.ask(c)
	if a.Guardian == nil || a.Guardian.Verdict != "escalate" || a.Guardian.Reason != "because" || a.Guardian.Model != "test" ||
		!strings.Contains(a.WhyAsked, "guardian") {
		t.Errorf("%+v, %q", a.Guardian, a.WhyAsked)
	}
	s.setRules("version: 1\nguardian: off\n")
	off := s.reach("", reach{Tier: "yellow"})
	s.wantEffect("switched off", off, policy.Allow)
	got, err := s.Gate.Methods().Answer(t.Context(), wire.MethodGuardianGet, nil)
	if st := got.(wire.GuardianState); err != nil || st.Mode != "off" || st.On || st.Escalated != 1 || st.Model != "test" {
		t.Errorf("%+v, %v", got, err)
	}
}

// scanner says what the words in a text mean.
type scanner struct {
	calls atomic.Int32
	mu    sync.Mutex
	known []string // of the last look
	left  []string
}

func (s *scanner) Left(to []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = append(s.left, to...)
}

func (s *scanner) Look(l gate.Leaving) (policy.Opinion, []string) {
	s.calls.Add(1)
	s.mu.Lock()
	s.known = l.Known
	s.mu.Unlock()
	text := l.Text
	switch {
	case strings.Contains(text, "password"):
		return policy.Block, []string{"secret"}
	case strings.Contains(text, "iban"):
		return policy.Escalate, []string{"account"}
	}
	return policy.Harmless, nil
}

// TestOutgoing: what leaves is looked at before anyone decides, also when a person has edited it.
func TestOutgoing(t *testing.T) {
	t.Parallel()
	scan := &scanner{}
	s := openSafe(t, func(d *gate.Deps) { d.Outgoing = scan })
	s.configure(wire.Config{Version: 1, DefaultLevel: 3, Agents: map[string]wire.AgentConfig{"secretary": {Unlocked: []string{"reach"}}}})
	to := func(text string) gate.Call {
		return s.reach("", reach{Tier: "yellow_external", To: "a@b.example", Text: text})
	}
	s.wantEffect("plain", to("hello"), policy.Allow)
	s.wantEffect("blocked", to("the password"), policy.Deny)
	doubtful := to("our iban")
	s.wantEffect("doubtful", doubtful, policy.Ask)
	if found := s.body(doubtful.RunID, "call.classified")["found"]; fmt.Sprint(found) != "[account]" {
		t.Errorf("found %v", found)
	}
	before := scan.calls.Load()
	s.wantEffect("inside", s.reach("", reach{Tier: "yellow", Text: "the password"}), policy.Allow)
	if scan.calls.Load() != before {
		t.Error("what stays inside was scanned")
	}
	f, a := s.ask(to("iban again"))
	d := gatetest.Answer(a, wire.Edit)
	d.Args = json.RawMessage(`{"tier":"yellow_external","to":"a@b.example","text":"the password"}`)
	s.decide(d)
	if out := f.end(t); out.State != wire.ToolDenied {
		t.Errorf("an edit with a secret: %s", out.State)
	}
}

// TestOutgoing_known: the scan hears whom the owner named and to whom a person allowed something before, and what did go
// out; what was asked and denied did not.
func TestOutgoing_known(t *testing.T) {
	t.Parallel()
	scan := &scanner{}
	s := openSafe(t, func(d *gate.Deps) { d.Outgoing = scan })
	to := func(who string) gate.Call {
		c := s.reach("", reach{Tier: "yellow_external", To: who, Text: "hello"})
		c.Request = "Tell Friend <friend@b.example>, please."
		return c
	}
	f, a := s.ask(to("mate@b.example"))
	s.decide(gatetest.Answer(a, wire.AllowOnce))
	f.end(t)
	f, a = s.ask(to("stranger@b.example"))
	s.decide(gatetest.Answer(a, wire.Deny))
	f.end(t)
	s.ask(to("last@b.example"))
	scan.mu.Lock()
	defer scan.mu.Unlock()
	if got := strings.Join(scan.known, " "); got != "friend@b.example mate@b.example" {
		t.Errorf("known: %s", got)
	}
	if got := strings.Join(scan.left, " "); got != "mate@b.example" {
		t.Errorf("left: %s", got)
	}
}

// TestBudget_manySmallCalls: a thousand small deletes do not pass as one. The 21st asks, and once a person has looked,
// twenty more may go. A restart gives no new budget, and neither does handing the work to another run of the tree.
func TestBudget_manySmallCalls(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	root := id(t)
	n := 0
	del := func() gate.Call {
		n++
		c := s.reach(root, reach{Tier: "red", Path: fmt.Sprint("tmp/", n)})
		if n%2 == 0 {
			c.RunID = id(t) // a delegated run
		}
		return c
	}
	s.configure(wire.Config{Version: 1, DefaultLevel: 3})
	for range 20 {
		s.wantEffect("within", del(), policy.Allow)
	}
	s.restart()
	c := del()
	f, a := s.ask(c)
	if !strings.Contains(a.WhyAsked, "21 things were removed") {
		t.Errorf("%q", a.WhyAsked)
	}
	s.decide(gatetest.Answer(a, wire.AllowOnce))
	s.wantState(f.end(t), wire.ToolDone)
	for range 20 {
		s.wantEffect("after a person looked", del(), policy.Allow)
	}
	s.wantEffect("once more", del(), policy.Ask)
	s.wantEffect("another run", s.reach("", reach{Tier: "red"}), policy.Allow)
	s.wantEffect("many files at once", s.reach("", reach{Tier: "yellow", Files: 501}), policy.Ask)
	s.wantEffect("many bytes at once", s.reach("", reach{Tier: "yellow", Bytes: 1<<30 + 1}), policy.Ask)
	s.setRules("version: 1\nbudgets: {deletes: 2}\n")
	own := id(t)
	for i, want := range []policy.Effect{policy.Allow, policy.Allow, policy.Ask} {
		s.wantEffect("a stricter budget", s.reach(own, reach{Tier: "red", Path: fmt.Sprint("x/", i)}), want)
	}
}

// TestLimits_ofRules: rate, cooldown and hours refuse with the time to wait, on record, over restarts too.
func TestLimits_ofRules(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules(`version: 1
rules:
  - {id: few, action: a.b.few, effect: allow, limits: {rate: 2/h}}
  - {id: slow, action: a.b.slow, effect: allow, limits: {cooldown: 10m}}
  - {id: day, action: a.b.day, effect: allow, limits: {hours: {from: "13:00", to: "14:00", zone: UTC}}}
`)
	do := func(action string, want policy.Effect) gate.Call {
		t.Helper()
		c := s.reach("", reach{Tier: "yellow", Action: action})
		s.wantEffect(action, c, want)
		return c
	}
	limited := func(c gate.Call, kind string, after float64) {
		t.Helper()
		b := s.body(c.RunID, "call.limited")
		if b["limit"] != kind || b["retry_after_s"] != after {
			t.Errorf("%v, want %s after %v s", b, kind, after)
		}
		s.wantTypes(c.RunID, "call.requested", "call.classified", "call.limited", "call.denied")
	}
	do("a.b.few", policy.Allow)
	do("a.b.few", policy.Allow)
	limited(do("a.b.few", policy.Deny), "rate", 1800)
	s.restart()
	s.clock.move(time.Minute)
	limited(do("a.b.few", policy.Deny), "rate", 1740)
	s.clock.move(29 * time.Minute)
	do("a.b.few", policy.Allow)
	s.clock.move(-30 * time.Minute) // the gate's time does not go back with the machine's

	do("a.b.slow", policy.Allow)
	limited(do("a.b.slow", policy.Deny), "cooldown", 600)
	s.clock.move(10 * time.Minute)
	do("a.b.slow", policy.Allow)

	limited(do("a.b.day", policy.Deny), "hours", 20*60) // the gate's clock stands at 12:40
	s.clock.move(25 * time.Minute)
	do("a.b.day", policy.Allow)
}

// TestLimits_loopAndDepth: what keeps giving the same result is not made again, and a task is not handed on for ever.
func TestLimits_loopAndDepth(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	run := id(t)
	for range 6 {
		s.wantEffect("again", s.reach(run, reach{Tier: "green"}), policy.Allow)
	}
	other := s.reach(run, reach{Tier: "green", Path: "b"})
	s.wantEffect("something else", other, policy.Allow)
	s.restart()
	s.wantEffect("once too often", s.reach(run, reach{Tier: "green"}), policy.Deny)
	if b := s.body(run, "call.limited"); b["limit"] != "loop" {
		t.Errorf("%v", b)
	}
	s.wantEffect("in another run", s.reach("", reach{Tier: "green"}), policy.Allow)
	a, b := id(t), 0
	for b = range 40 { // two calls that take turns
		c := s.reach(a, reach{Tier: "green", Path: fmt.Sprint(b % 2)})
		if got, _ := s.effect(c); got == policy.Deny {
			break
		}
	}
	if b != 12 {
		t.Errorf("a ping-pong went on for %d calls", b)
	}
}

// TestRules: deny beats ask beats allow, and no rule reaches above the invariants.
func TestRules(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	s.setRules(`version: 1
rules:
  - {id: any, effect: allow}
  - {id: books, args: {path: {under: books}}, effect: deny, reason: the accountant does that}
  - {id: notes, args: {path: {under: notes}}, effect: ask}
channels:
  public: {read_only: true}
`)
	low := func(in reach) gate.Call {
		c := s.reach("", in)
		c.Level = 1
		return c
	}
	s.wantEffect("yellow at level 1", low(reach{Tier: "yellow", Path: "x"}), policy.Allow)
	s.wantEffect("red at level 1", low(reach{Tier: "red", Path: "x"}), policy.Ask)
	s.wantEffect("critical", low(reach{Tier: "critical_red", Path: "x"}), policy.Ask)
	s.wantEffect("forbidden", low(reach{Tier: "forbidden", Path: "x"}), policy.Deny)
	s.wantEffect("gated", low(reach{Tier: "yellow_external", To: "a@b.example"}), policy.Ask)
	s.wantEffect("installation", low(reach{Tier: "yellow", Action: "tool.install.ghost"}), policy.Ask)
	s.wantEffect("asked by rule", s.reach("", reach{Tier: "yellow", Path: "./x/../notes/a"}), policy.Ask)
	if why := s.wantEffect("denied by rule", s.reach("", reach{Tier: "yellow", Path: "/data/books/a"}),
		policy.Deny); !strings.Contains(why, "accountant") {
		t.Errorf("%q", why)
	}
	tainted := low(reach{Tier: "yellow", Path: "x"})
	tainted.Taint = fromMail
	s.wantEffect("tainted", tainted, policy.Ask)
	public := s.reach("", reach{Tier: "yellow", Path: "x"})
	public.Origin.Channel = "public"
	s.wantEffect("a public channel", public, policy.Deny)
}

// TestRules_changeBetween: a rule that comes between the question and the act is asked about, and one that denies holds.
func TestRules_changeBetween(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	low := s.reach("", reach{Tier: "red", Path: "a"})
	low.Level = 1
	f, a := s.ask(low)
	s.setRules("version: 1\nrules:\n  - {id: no, tool: reach, effect: deny}\n")
	s.decide(gatetest.Answer(a, wire.AllowOnce))
	if out := f.end(t); out.State != wire.ToolDenied {
		t.Errorf("allowed before, denied since: %s", out.State)
	}
	s.wantRan(low.ID, 0)
}

// allowWindow lets a call through for an hour, with all that is like it in the scope.
func (s *safe) allowWindow(in reach, scope string, taint []policy.Source) wire.Approval {
	s.t.Helper()
	c := s.reach("", in)
	c.Level, c.Taint = 1, taint
	f, a := s.ask(c)
	d := gatetest.Answer(a, wire.AllowWindow)
	d.Minutes = 60
	if scope != "" {
		d.Scope = json.RawMessage(scope)
	}
	s.decide(d)
	s.wantState(f.end(s.t), wire.ToolDone)
	return a
}

// TestWindow_scope: a window holds for its agent, its tool and, when the person said so, its destination. It does not hold
// behind content from outside that the person was not told of, nor after it ran out or was closed.
func TestWindow_scope(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	try := func(what string, in reach, change func(*gate.Call), want policy.Effect) {
		t.Helper()
		c := s.reach("", in)
		c.Level = 1
		if change != nil {
			change(&c)
		}
		s.wantEffect(what, c, want)
	}
	taint := func(c *gate.Call) { c.Taint = fromMail }
	a := s.allowWindow(reach{Tier: "yellow", Path: "notes/a"}, `{"destination":true}`, nil)
	if a.Destination != "notes/a" {
		t.Errorf("destination %q", a.Destination)
	}
	try("the same path", reach{Tier: "yellow", Path: "notes/a", Text: "x"}, nil, policy.Allow)
	try("the same path in disguise", reach{Tier: "yellow", Path: "/data/notes/./a"}, nil, policy.Allow)
	try("another path through it", reach{Tier: "yellow", Path: "notes/a/../b"}, nil, policy.Ask)
	try("no path", reach{Tier: "yellow"}, nil, policy.Ask)
	try("tainted", reach{Tier: "yellow", Path: "notes/a"}, taint, policy.Ask)
	try("riskier", reach{Tier: "red", Path: "notes/a"}, nil, policy.Ask)
	try("another agent", reach{Tier: "yellow", Path: "notes/a"}, func(c *gate.Call) { c.Agent = "it-admin" }, policy.Ask)
	list, err := s.Gate.Windows(t.Context())
	if err != nil || len(list.Items) != 1 || list.Items[0].Destination != "notes/a" || list.Items[0].By.Name != gatetest.Owner.Name ||
		list.Items[0].Tainted {
		t.Fatalf("%+v, %v", list, err)
	}
	s.restart()
	try("after a restart", reach{Tier: "yellow", Path: "notes/a"}, nil, policy.Allow)
	closing, err := json.Marshal(wire.WindowClose{ApprovalID: a.ID, By: gatetest.Owner})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Gate.Methods().Answer(t.Context(), wire.MethodWindowClose, closing); err != nil ||
		len(got.(wire.WindowsResult).Items) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Gate.Methods().Answer(t.Context(), wire.MethodWindowClose, closing); err == nil {
		t.Error("it was closed twice")
	}
	try("after it was closed", reach{Tier: "yellow", Path: "notes/a"}, nil, policy.Ask)
	b := s.allowWindow(reach{Tier: "yellow", Path: "b"}, "", fromMail)
	if !slices.Equal(b.Windows, []int{15, 60, 240, 480}) {
		t.Errorf("windows %v", b.Windows)
	}
	try("told of the taint, any path", reach{Tier: "yellow", Path: "c"}, taint, policy.Allow)
	s.clock.move(time.Hour)
	try("after it ran out", reach{Tier: "yellow", Path: "c"}, nil, policy.Ask)
}

// TestWindow_badScope: a scope that means nothing opens nothing.
func TestWindow_badScope(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{`{"destination":true}`, `{"dest":true}`, `[]`, `{"destination":"x"}`} {
		s := openSafe(t, nil)
		c := s.reach("", reach{Tier: "red"})
		c.Level = 1
		f, a := s.ask(c)
		d := gatetest.Answer(a, wire.AllowWindow)
		d.Minutes, d.Scope = 15, json.RawMessage(scope)
		s.decide(d)
		if got := s.approval(a.ID); got.State != wire.ApprovalSuperseded {
			t.Errorf("%s: %s", scope, got.State)
		}
		if list, err := s.Gate.Windows(t.Context()); err != nil || len(list.Items) != 0 {
			t.Errorf("%s: %+v, %v", scope, list, err)
		}
		s.wantRan(c.ID, 0)
		f.stop()
	}
}

// TestAllowRule: the rule that the person saw, and no other, lets the next call through.
func TestAllowRule(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	low := func(in reach) gate.Call {
		c := s.reach("", in)
		c.Level = 1
		return c
	}
	answer := func(a wire.Approval, text string) wire.Decision {
		t.Helper()
		d := gatetest.Answer(a, wire.AllowRule)
		b, err := json.Marshal(wire.RuleScope{Rule: sum(text)})
		if err != nil {
			t.Fatal(err)
		}
		d.Scope = b
		return d
	}
	f, a := s.ask(low(reach{Tier: "yellow", Path: "notes/a", Text: "one"}))
	if a.Rule == nil || !strings.Contains(a.Rule.Diff, "+") || !strings.Contains(a.Rule.Text, "notes/a") {
		t.Fatalf("%+v", a.Rule)
	}
	s.decide(answer(a, a.Rule.Text+" "))
	again := s.approval(s.approval(a.ID).Next)
	if again.State != wire.ApprovalPending || again.Rule == nil || !strings.Contains(again.WhyAsked, "not the one that was shown") {
		t.Fatalf("another rule than the one shown: %+v", again)
	}
	s.decide(answer(again, again.Rule.Text))
	s.wantState(f.end(t), wire.ToolDone)
	s.wantEffect("the same path", low(reach{Tier: "yellow", Path: "./notes/a", Text: "two"}), policy.Allow)
	s.wantEffect("another path", low(reach{Tier: "yellow", Path: "notes/b"}), policy.Ask)
	s.wantEffect("another agent", func() gate.Call {
		c := low(reach{
			Tier: "yellow",
			Path: "notes/a",
		})
		c.Agent = "it-admin"
		return c
	}(), policy.Ask)
	if _, version := s.Config.State().Rules(); version != 1 {
		t.Errorf("version %d of the rules", version)
	}
	for what, c := range map[string]gate.Call{
		"red": low(reach{Tier: "red", Path: "x"}), "critical": low(reach{
			Tier: "critical_red",
			Path: "x",
		}), "gated": low(reach{Tier: "yellow_external", To: "a@b.example"}),
		"tainted": func() gate.Call { c := low(reach{Tier: "yellow", Path: "x"}); c.Taint = fromMail; return c }(),
	} {
		f, a := s.ask(c)
		if a.Rule != nil {
			t.Errorf("%s: %s", what, a.Rule.Text)
		}
		s.decide(answer(a, ""))
		if got := s.approval(a.ID); got.State != wire.ApprovalSuperseded {
			t.Errorf("%s: %s", what, got.State)
		}
		f.stop()
	}
}

// TestAllowRule_changedMeanwhile: a rule is added to the rules that the person saw, or not at all.
func TestAllowRule_changedMeanwhile(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	c := s.reach("", reach{Tier: "yellow", Path: "a"})
	c.Level = 1
	_, a := s.ask(c)
	s.setRules("version: 1\nrules:\n  - {id: x, tool: other, effect: ask}\n")
	d := gatetest.Answer(a, wire.AllowRule)
	b, err := json.Marshal(wire.RuleScope{Rule: sum(a.Rule.Text)})
	if err != nil {
		t.Fatal(err)
	}
	d.Scope = b
	s.decide(d)
	next := s.approval(s.approval(a.ID).Next)
	if next.Rule == nil || next.Rule.Base != 1 || !strings.Contains(next.Rule.Diff, "id: x") && !strings.Contains(next.Rule.Diff, "+") {
		t.Errorf("%+v", next.Rule)
	}
	s.wantRan(c.ID, 0)
}

// TestPending_flood: of 500 requests 20 wait, the others are refused with the reason; the same one waits once.
func TestPending_flood(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	same := s.reach("", reach{Tier: "critical_red", Text: "same"})
	s.ask(same)
	s.wantEffect("the same again", s.reach("", reach{Tier: "critical_red", Text: "same"}), policy.Deny)
	var asked, denied atomic.Int32
	var all sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for i := range 500 {
		c := s.reach("", reach{Tier: "critical_red", Text: fmt.Sprint(i)})
		all.Go(func() {
			out, err := s.Gate.Do(ctx, c, func(waits bool) {
				if waits && asked.Add(1)+denied.Load() == 500 {
					stop()
				}
			})
			if err == nil && out.State == wire.ToolDenied && strings.Contains(out.Text, "already wait") {
				if denied.Add(1)+asked.Load() == 500 {
					stop()
				}
			}
		})
	}
	all.Wait()
	if asked.Load() != 19 || denied.Load() != 481 {
		t.Errorf("%d asked, %d denied", asked.Load(), denied.Load())
	}
}

// TestSimulate_storedCalls: what other rules would have done with the calls on record.
func TestSimulate_storedCalls(t *testing.T) {
	t.Parallel()
	s := openSafe(t, nil)
	low := s.reach("", reach{Tier: "yellow", Path: "notes/a"})
	low.Level = 1
	s.wantEffect("asked", low, policy.Ask)
	s.wantEffect("ran", s.reach("", reach{Tier: "yellow", Path: "books/a"}), policy.Allow)
	try := func(text string) wire.PermissionsPreview {
		t.Helper()
		p, err := json.Marshal(wire.PermissionsTry{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Gate.Methods().Answer(t.Context(), wire.MethodPermissionsSimulate, p)
		if err != nil {
			t.Fatal(err)
		}
		return got.(wire.PermissionsPreview)
	}
	got := try("version: 1\nrules:\n  - {id: n, args: {path: {under: notes}}, effect: allow}\n" +
		"  - {id: b, args: {path: {under: books}}, effect: deny}\n")
	if got.Checked != 2 || len(got.Changed) != 2 || got.Looser != 1 || !got.Loosens || got.Diff == "" {
		t.Fatalf("%+v", got)
	}
	if c := got.Changed[0]; c.Before != "allow" || c.After != "deny" || c.Rule != "b" {
		t.Errorf("%+v", c)
	}
	if c := got.Changed[1]; c.Before != "ask" || c.After != "allow" || c.Rule != "n" || c.CallID != low.ID {
		t.Errorf("%+v", c)
	}
	if bad := try("version: 1\nrules:\n  - {id: n}\n"); len(bad.Problems) != 1 || bad.Problems[0].Line != 3 || bad.Checked != 0 {
		t.Errorf("%+v", bad)
	}
	if _, version := s.Config.State().Rules(); version != 0 {
		t.Error("a preview changed the rules")
	}
	s.clock.move(8 * 24 * time.Hour)
	if old := try("version: 1\n"); old.Checked != 0 {
		t.Errorf("%d calls of more than a week ago", old.Checked)
	}
}
