package schedule_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// full is a condition: the disk is more than 90 % full.
func full(c *wire.ScheduleCreate) {
	c.Task = "The disk is nearly full."
	c.Condition = &wire.ScheduleCondition{Tool: "shell", Args: `{"command":"df --output=pcent /"}`, Is: "above", Value: 90}
}

// look sets the clock, what the tool gives, and has monitors look.
func (w *world) look(t testing.TB, now time.Time, text, why string) {
	t.Helper()
	w.mu.Lock()
	w.time, w.eye.text, w.eye.why = now, text, why
	w.mu.Unlock()
	if _, err := w.WatchPass(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// said is what was told so far.
func (w *world) said() string { return w.runs.last.Say }

// TestMonitor: the owner is told when the condition begins to hold, once, and again only after it did not hold; each look has a verdict
// with the number; no model is asked, and nobody else looks in its place.
func TestMonitor(t *testing.T) {
	t.Parallel()
	w := start(t)
	m := w.plan(t, wire.ScheduleMonitor, "15m", full)
	if m.Kind != wire.ScheduleMonitor || m.Condition == nil || m.Holds {
		t.Fatalf("%+v", m)
	}
	w.at(t, monday.Add(16*time.Minute))
	if w.eye.looks != 0 || len(w.history(t, m.ID)) != 0 {
		t.Fatal("it is treated as a task")
	}
	step := func(n int, text, why string, runs int) {
		t.Helper()
		w.look(t, monday.Add(time.Duration(n)*15*time.Minute+2*time.Minute), text, why)
		w.end(t, wire.RunDone, false)
		if got := w.count(t); got != runs {
			t.Errorf("look %d: told %d times, want %d", n, got, runs)
		}
	}
	step(1, "Use%\n 40%", "", 0)
	step(2, "Use%\n 92%", "", 1)
	if w.said() != "The disk is nearly full.\n\nIt is 92, which is above 90." {
		t.Errorf("said %q", w.said())
	}
	step(3, "Use%\n 95%", "", 1)
	step(4, "Use%\n 90%", "", 1)
	step(5, "Use%\n 91%", "", 2)
	ticks := ask[wire.ScheduleTicks](t, w, wire.MethodScheduleTicks, wire.ScheduleTicksParams{ID: m.ID}).Items
	var reasons []string
	for _, k := range ticks {
		reasons = append([]string{k.Reason}, reasons...)
	}
	want := []string{
		"It is 40, not above 90.", "It is 92, which is above 90.", "It is 95, which still is above 90. You were told before.",
		"It is 90, not above 90.", "It is 91, which is above 90.",
	}
	if !slices.Equal(reasons, want) {
		t.Errorf("%q", reasons)
	}
	if l := w.eye.last; l.Tool != "shell" || l.Agent != "it-admin" || l.Level != 2 {
		t.Errorf("looked with %+v", l)
	}
}

// TestMonitor_blind: a look that gives no number is a verdict that says why, and after three in a row the owner is told, once; the
// condition is known again with the first number.
func TestMonitor_blind(t *testing.T) {
	t.Parallel()
	w := start(t)
	m := w.plan(t, wire.ScheduleMonitor, "15m", full)
	at := func(n int) time.Time { return monday.Add(time.Duration(n)*15*time.Minute + 2*time.Minute) }
	for n, c := range []struct {
		text, why string
		told      int
	}{
		{"", "The tool failed.", 0},
		{"no number", "", 0},
		{"", "The tool failed.", 1},
		{"", "The tool failed.", 1},
		{"50", "", 1},
		{"", "The tool failed.", 1},
		{"", "The tool failed.", 1},
		{"", "The tool failed.", 2},
	} {
		w.look(t, at(n+1), c.text, c.why)
		w.end(t, wire.RunDone, false)
		if got := w.count(t); got != c.told {
			t.Errorf("look %d: told %d times, want %d", n+1, got, c.told)
		}
	}
	if !strings.Contains(w.said(), "3 times in a row") {
		t.Errorf("said %q", w.said())
	}
	if h := w.history(t, m.ID); h[0] != "Mon 07:00 skipped" || h[2] != "Mon 07:30 skipped done" || h[4] != "Mon 08:00 ran" {
		t.Errorf("%q", h)
	}
}

// TestMonitor_offAtTheLook: an agent that is off when the monitor is to look, and on again a moment later, has seen nothing: no number
// is told.
func TestMonitor_offAtTheLook(t *testing.T) {
	t.Parallel()
	w := start(t)
	m := w.plan(t, wire.ScheduleMonitor, "15m", func(c *wire.ScheduleCreate) { full(c); c.Condition.Is = "below" })
	w.cfg.Agents = map[string]wire.AgentConfig{"it-admin": {Off: true}}
	w.then = func() { w.cfg.Agents = nil }
	w.look(t, monday.Add(17*time.Minute), "95", "")
	tick := ask[wire.ScheduleTicks](t, w, wire.MethodScheduleTicks, wire.ScheduleTicksParams{ID: m.ID}).Items[0]
	if w.count(t) != 0 || tick.Verdict != wire.TickSkipped ||
		tick.Reason != "It could not look: It was paused, or its agent was not at work." {
		t.Errorf("told %d times: %+v", w.count(t), tick)
	}
}

// TestMonitor_refused: what cannot be watched is said when it is made, and a call that has become more than a read is not made.
func TestMonitor_refused(t *testing.T) {
	t.Parallel()
	w := start(t)
	for what, c := range map[string]struct {
		spec string
		with func(*wire.ScheduleCreate)
		want string
	}{
		"no condition":  {"15m", func(*wire.ScheduleCreate) {}, "what is watched"},
		"once":          {"2026-12-01T09:00", full, "again and again"},
		"every minute":  {"1m", full, "every five minutes"},
		"no such tool":  {"15m", func(c *wire.ScheduleCreate) { full(c); c.Condition.Tool = "file_delete" }, "only read"},
		"no comparison": {"15m", func(c *wire.ScheduleCreate) { full(c); c.Condition.Is = "near" }, "above, below or equal"},
		"another kind":  {"15m", func(c *wire.ScheduleCreate) { full(c); c.Kind = wire.ScheduleEvery }, "Only a monitor"},
	} {
		in := wire.ScheduleCreate{ID: newID(t), Agent: "it-admin", Kind: wire.ScheduleMonitor, Spec: c.spec, Task: "x", By: owner}
		c.with(&in)
		if _, err := try[wire.Schedule](w, wire.MethodScheduleCreate, in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	m := w.plan(t, wire.ScheduleMonitor, "15m", full)
	w.eye.writes = true
	w.look(t, monday.Add(17*time.Minute), "99", "")
	if w.eye.looks != 0 || w.count(t) != 0 || w.history(t, m.ID)[0] != "Mon 07:00 skipped" {
		t.Errorf("%d looks, %q", w.eye.looks, w.history(t, m.ID))
	}
}

// TestMonitor_now: a person has it look at once; a pause leaves no look, and a change of the condition forgets what held.
func TestMonitor_now(t *testing.T) {
	t.Parallel()
	w := start(t)
	m := w.plan(t, wire.ScheduleMonitor, "15m", full)
	w.eye.text = "95"
	k := ask[wire.ScheduleTick](t, w, wire.MethodScheduleRun, wire.ScheduleRun{ID: m.ID, RunID: newID(t), By: owner})
	if k.Verdict != wire.TickRan || !k.Asked || k.RunID == "" || k.Reason != "It is 95, which is above 90." {
		t.Errorf("%+v", k)
	}
	w.end(t, wire.RunDone, false)
	other := *m.Condition
	other.Value = 80
	m = ask[wire.Schedule](t, w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: m.ID, Condition: &other, By: owner})
	if m.Holds {
		t.Error("what held of another condition counts")
	}
	ask[wire.Schedule](t, w, wire.MethodSchedulePause, wire.ScheduleAct{ID: m.ID, By: owner})
	w.look(t, monday.Add(17*time.Minute), "99", "")
	if w.eye.looks != 1 || w.count(t) != 1 {
		t.Errorf("%d looks, told %d times", w.eye.looks, w.count(t))
	}
}

// TestMonitor_nowChanged: a look at what a monitor does not watch anymore when the look is over tells nothing.
func TestMonitor_nowChanged(t *testing.T) {
	t.Parallel()
	w := start(t)
	m := w.plan(t, wire.ScheduleMonitor, "15m", full)
	w.eye.text = "95"
	w.eye.before = func(what string) {
		if what != "looked" {
			return
		}
		other := *m.Condition
		other.Args = `{"command":"df"}`
		ask[wire.Schedule](t, w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: m.ID, Condition: &other, By: owner})
	}
	k, err := try[wire.ScheduleTick](w, wire.MethodScheduleRun, wire.ScheduleRun{ID: m.ID, RunID: newID(t), By: owner})
	if err == nil || w.eye.looks != 1 || w.count(t) != 0 || len(w.history(t, m.ID)) != 0 {
		t.Errorf("%+v, %v, %d looks, told %d times", k, err, w.eye.looks, w.count(t))
	}
}
