package plan_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/plan"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// book stands in for the schedules, and remembers what it was asked. Its clock is a count of how often it was read.
type book struct {
	read  int
	at    []plan.Time
	by    []plan.By
	all   []plan.Made
	acted []string
}

func (b *book) Read(when string, remind bool) (plan.Time, error) {
	if when == "next Friday" {
		return plan.Time{}, &tool.Refused{Text: "Do you mean this Friday?"}
	}
	b.read++
	return plan.Time{Kind: "at", Spec: strings.Repeat("x", b.read), Says: "on Monday", Next: time.Unix(int64(b.read), 0)}, nil
}

func (b *book) Create(_ context.Context, by plan.By, at plan.Time, _ policy.ScheduleCreateArgs) (plan.Made, error) {
	b.by, b.at = append(b.by, by), append(b.at, at)
	return plan.Made{ID: "s1", Title: "Look", Says: at.Says}, nil
}

func (b *book) List(context.Context, string) ([]plan.Made, error) { return b.all, nil }

func (b *book) Update(_ context.Context, _ plan.By, at *plan.Time, a policy.ScheduleUpdateArgs) (plan.Made, error) {
	b.acted = append(b.acted, "update "+a.ID)
	if at != nil {
		b.at = append(b.at, *at)
	}
	return plan.Made{ID: a.ID, Title: "Look", State: "active"}, nil
}

func (b *book) Delete(_ context.Context, _ plan.By, id string) (plan.Made, error) {
	b.acted = append(b.acted, "delete "+id)
	return plan.Made{ID: id, Title: "Look"}, nil
}

func gateOf(t *testing.T, b *book) *tooltest.Gate {
	t.Helper()
	return tooltest.NewGate(t, tooltest.NewDir(t), plan.NewCreate(b), plan.NewList(b), plan.NewUpdate(b), plan.NewDelete(b))
}

// TestCreate_asked: at level 1, and at any level behind content from outside, a person is asked; when it is due is what it was when
// the call was made, however late they answer.
func TestCreate_asked(t *testing.T) {
	t.Parallel()
	outside := []policy.Source{{Source: "mail from x@y", ID: "1"}}
	for name, c := range map[string]struct {
		level int
		taint []policy.Source
		asked bool
	}{"level 1": {1, nil, true}, "level 2": {2, nil, false}, "tainted": {3, outside, true}} {
		b := &book{}
		g := gateOf(t, b)
		call := g.Call(t, "schedule_create", policy.ScheduleCreateArgs{When: "in 20 minutes", Task: "Look"})
		call.Level, call.Taint = c.level, c.taint
		ctx, stop := context.WithCancel(t.Context())
		asked := false
		out, err := g.Gate.Do(ctx, call, func(waits bool) {
			if asked = asked || waits; waits {
				stop()
			}
		})
		stop()
		if err != nil || asked != c.asked || (out.State == wire.ToolDone) == c.asked || len(b.by) > 0 == c.asked {
			t.Errorf("%s: asked %v, %+v, %v", name, asked, out, err)
		}
	}
	b := &book{}
	g := gateOf(t, b)
	g.Level = 1
	out := g.Do(t, "schedule_create", policy.ScheduleCreateArgs{When: "in 20 minutes", Task: "Look"})
	if out.State != wire.ToolDone || len(b.at) != 1 || b.at[0].Spec != "x" || b.by[0].Agent != "it-admin" {
		t.Errorf("read %d times, %+v, %+v", b.read, b.at, b.by)
	}
	if !strings.Contains(out.Text, "on Monday") {
		t.Errorf("the model is not told the date: %q", out.Text)
	}
}

// TestCreate_unclear: words that can mean several things are asked back, before anybody is asked to allow them.
func TestCreate_unclear(t *testing.T) {
	t.Parallel()
	b := &book{}
	out := gateOf(t, b).Do(t, "schedule_create", policy.ScheduleCreateArgs{When: "next Friday", Task: "Look"})
	if out.State != wire.ToolDenied || !strings.Contains(out.Text, "this Friday") || len(b.by) != 0 {
		t.Errorf("%+v", out)
	}
}

// TestList_outside: a list with a schedule behind which content from outside stood is such content itself.
func TestList_outside(t *testing.T) {
	t.Parallel()
	for _, outside := range []bool{false, true} {
		b := &book{all: []plan.Made{{ID: "s1", Agent: "it-admin", Title: "Look", Says: "on Monday", State: "active", Outside: outside}}}
		out := gateOf(t, b).Do(t, "schedule_list", policy.ScheduleListArgs{})
		if out.State != wire.ToolDone || !strings.Contains(out.Text, "s1: Look") || len(out.Taint) > 0 != outside {
			t.Errorf("outside %v: %+v", outside, out)
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	b, paused := &book{}, true
	g := gateOf(t, b)
	for _, a := range []policy.ScheduleUpdateArgs{{ID: "s1", Paused: &paused}, {ID: "s1", When: "at 9"}} {
		if out := g.Do(t, "schedule_update", a); out.State != wire.ToolDone {
			t.Errorf("%+v", out)
		}
	}
	if out := g.Do(t, "schedule_delete", policy.ScheduleDeleteArgs{ID: "s1"}); out.State != wire.ToolDone {
		t.Errorf("%+v", out)
	}
	if len(b.at) != 1 || strings.Join(b.acted, ", ") != "update s1, update s1, delete s1" {
		t.Errorf("%+v", b)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	b := &book{}
	for _, c := range []struct {
		tool gate.Tool
		args string
	}{
		{plan.NewCreate(b), `{"when":"at 9","task":"x"}`},
		{plan.NewList(b), `{}`},
		{plan.NewUpdate(b), `{"id":"s1"}`},
		{plan.NewDelete(b), `{"id":"s1"}`},
	} {
		if _, err := c.tool.Run(t.Context(), gate.Permit{}, json.RawMessage(c.args)); err == nil {
			t.Errorf("%s ran without a permit", c.tool.Definition().Name)
		}
	}
	if len(b.by)+len(b.acted) > 0 {
		t.Errorf("%+v", b)
	}
}
