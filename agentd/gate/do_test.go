package gate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

func TestDo_green(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "green", "")
	out := b.do(c)
	b.wantState(out, wire.ToolDone)
	b.wantRan(c.ID, 1)
	b.wantTypes(c.RunID, "call.requested", "call.classified", "call.allowed", "call.started", "call.finished")
	if again := b.do(c); again.Text != out.Text || again.State != out.State {
		t.Errorf("the same call again answers %+v, want %+v", again, out)
	}
	b.wantRan(c.ID, 1)
}

func TestDo_refused(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.Hide["write"] = true
	c := func(tool, args string) gate.Call {
		c := b.call(tool, "green", "")
		if args != "" {
			c.Args = json.RawMessage(args)
		}
		return c
	}
	classify := func(mode string) string { return `{"tier":"green","key":"k","mode":"` + mode + `"}` }
	for name, tc := range map[string]struct {
		call  gate.Call
		stage string
	}{
		"unknown tool":             {c("nothing", ""), "visibility"},
		"name in full-width":       {c("ａｃｔ", ""), "visibility"},
		"name in capitals":         {c("Act", ""), "visibility"},
		"name with a space":        {c("act ", ""), "visibility"},
		"name of a megabyte":       {c(strings.Repeat("a", 1<<20), ""), "visibility"},
		"hidden tool":              {c("write", ""), "visibility"},
		"not JSON":                 {c("act", `{"tier":`), "arguments"},
		"no object":                {c("act", `[]`), "arguments"},
		"missing field":            {c("act", `{"tier":"green"}`), "arguments"},
		"unknown field":            {c("act", `{"tier":"green","key":"k","more":1}`), "arguments"},
		"field in capitals":        {c("act", `{"tier":"green","key":"k","Tier":"green"}`), "arguments"},
		"field twice":              {c("act", `{"tier":"red","tier":"green","key":"k"}`), "arguments"},
		"field twice, escaped":     {c("act", `{"tier":"green","key":"k","k\u0065y":"x"}`), "arguments"},
		"wrong type":               {c("act", `{"tier":"green","key":7}`), "arguments"},
		"integer beyond 2^53":      {c("act", `{"tier":"green","key":9007199254740993}`), "arguments"},
		"invalid UTF-8":            {c("act", "{\"tier\":\"green\",\"key\":\"\xff\"}"), "arguments"},
		"not a number":             {c("act", `{"tier":"green","key":NaN}`), "arguments"},
		"nested a thousand deep":   {c("act", strings.Repeat("[", 1000)+strings.Repeat("]", 1000)), "arguments"},
		"classification panics":    {c("act", classify("classify-panics")), "rules"},
		"classification hangs":     {c("act", classify("classify-hangs")), "rules"},
		"forbidden":                {c("act", `{"tier":"forbidden","key":"k"}`), "rules"},
		"a tier that is not known": {c("act", `{"tier":"purple","key":"k"}`), "rules"},
		"no tier":                  {c("act", `{"tier":"","key":"k"}`), "rules"},
	} {
		out := b.do(tc.call)
		if out.State != wire.ToolDenied || out.Text == "" {
			t.Errorf("%s: state %q, text %q", name, out.State, out.Text)
		}
		if got := b.body(tc.call.RunID, "call.denied")["stage"]; got != tc.stage {
			t.Errorf("%s: refused at %v, want %s", name, got, tc.stage)
		}
		b.wantRan(tc.call.ID, 0)
		if again := b.do(tc.call); again.Text != out.Text {
			t.Errorf("%s: said %q the second time", name, again.Text)
		}
	}
	if err := b.Log.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestDo_outcomes(t *testing.T) {
	t.Parallel()
	b := open(t)
	for mode, want := range map[string]struct {
		state wire.ToolState
		says  string
		typed string
	}{
		"fails":    {wire.ToolFailed, "internal reason", "call.failed"},
		"refuses":  {wire.ToolFailed, "there is no k-", "call.failed"},
		"panics":   {wire.ToolFailed, "internal reason", "call.failed"},
		"odd-meta": {wire.ToolDone, "did k-", "call.finished"},
		"outside":  {wire.ToolDone, "never an instruction", "call.finished"},
	} {
		c := b.call("act", "yellow", mode)
		out := b.do(c)
		b.wantState(out, want.state)
		if !strings.Contains(out.Text, want.says) || strings.Contains(out.Text, "secret") {
			t.Errorf("%s: model reads %q", mode, out.Text)
		}
		b.body(c.RunID, want.typed)
	}
}

func TestDo_longResult(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "green", "big")
	out := b.do(c)
	if len(out.Text) > 65<<10 || !strings.Contains(out.Text, "[cut: ") {
		t.Errorf("model reads %d bytes, ending %q", len(out.Text), out.Text[len(out.Text)-80:])
	}
	path := filepath.Join(b.dir, "state", "results", c.ID+".txt")
	info, err := os.Stat(path)
	if err != nil || info.Size() < 10<<20-20 || info.Mode().Perm() != 0o600 {
		t.Errorf("whole result: %v, %v", info, err)
	}
}

func TestDo_sameCallAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "green", "")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if out, err := b.Gate.Do(t.Context(), c, nil); err != nil || out.State != wire.ToolDone {
				t.Errorf("%v %v", out.State, err)
			}
		})
	}
	all.Wait()
	b.wantRan(c.ID, 1)
}

func TestDo_idOfAnotherCall(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "green", "")
	b.do(c)
	other := c
	other.Args = json.RawMessage(`{"tier":"green","key":"other"}`)
	b.wantState(b.do(other), wire.ToolDenied)
	b.wantRan(c.ID, 1)
	if got := b.body(c.RunID, "call.denied")["stage"]; got != "identity" {
		t.Errorf("stage %v", got)
	}
}

func TestDo_timeLimit(t *testing.T) {
	t.Parallel()
	b := open(t, &slowTool{limit: 50 * time.Millisecond})
	out := b.do(b.call("slow", "green", ""))
	b.wantState(out, wire.ToolFailed)
	if !strings.Contains(out.Text, "too long") {
		t.Errorf("model reads %q", out.Text)
	}
}

// TestDo_stop stops a tool in the middle, which would go on for ever.
func TestDo_stop(t *testing.T) {
	t.Parallel()
	slow := &slowTool{limit: -1, began: make(chan struct{})}
	b := open(t, slow)
	for range 5 {
		c := b.call("slow", "green", "")
		f := b.fly(c)
		<-slow.began
		f.stop()
		b.wantState(f.end(t), wire.ToolStopped)
		if b.body(c.RunID, "call.failed")["stopped"] != true {
			t.Error("the receipt does not say that it was stopped")
		}
	}
}

// deaf is a tool that does not stop when told to.
type deaf struct{ slowTool }

func (d *deaf) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	d.began <- struct{}{}
	select {}
}

// TestClose_deafTool: a tool that goes on when the process must end leaves its call as unknown, not as done.
func TestClose_deafTool(t *testing.T) {
	t.Parallel()
	d := &deaf{slowTool{limit: -1, began: make(chan struct{}, 1)}}
	b := open(t, d)
	c := b.call("slow", "green", "")
	f := b.fly(c)
	<-d.began
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	b.Gate.Close(ctx)
	out := f.end(t)
	b.wantState(out, wire.ToolUnknown)
	if !strings.Contains(out.Text, "not known whether") {
		t.Errorf("model reads %q", out.Text)
	}
	b.body(c.RunID, "call.unknown")
}
