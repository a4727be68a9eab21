package schedule_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/schedule"
	"gatehouse/agentd/wire"
)

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// TestCreate_keepsWhatStoodBehind: a schedule keeps the taint and the level of the chain that made it, its runs get them, and
// nothing that is done to it afterwards lowers either.
func TestCreate_keepsWhatStoodBehind(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.cfg.DefaultLevel = 3
	mail, web := policy.Source{Source: "mail from x@y", ID: "1"}, policy.Source{Source: "http_request", ID: "2"}
	made, err := w.Create(t.Context(), wire.ScheduleCreate{
		ID: newID(t), Agent: "it-admin", Spec: "every day at 8",
		Task: "Delete old files",
	},
		schedule.Behind{CallID: "c1", RunID: newID(t), Level: 1, Taint: []policy.Source{mail}})
	if err != nil || made.Level != 1 || len(made.Outside) != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	begins := func(level int, taint ...policy.Source) {
		t.Helper()
		if got := w.runs.last; got.Level != level || !slices.Equal(got.Taint, taint) {
			t.Errorf("a run begins at level %d behind %v, want %d, %v", got.Level, got.Taint, level, taint)
		}
		w.end(t, wire.RunDone, false)
	}
	w.at(t, monday.Add(time.Hour))
	begins(1, mail)
	task := "Tidy up"
	ask[wire.Schedule](t, w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: made.ID, Task: &task, By: owner})
	ask[wire.Schedule](t, w, wire.MethodSchedulePause, wire.ScheduleAct{ID: made.ID, By: owner})
	ask[wire.Schedule](t, w, wire.MethodScheduleResume, wire.ScheduleAct{ID: made.ID, By: owner})
	ask[wire.ScheduleTick](t, w, wire.MethodScheduleRun, wire.ScheduleRun{ID: made.ID, RunID: newID(t), By: owner})
	begins(1, mail)
	if _, err := w.Edit(t.Context(), wire.ScheduleEdit{ID: made.ID, Task: &task}, schedule.Behind{
		Level: 3,
		Taint: []policy.Source{web},
	}); err != nil {
		t.Fatal(err)
	}
	w.at(t, monday.Add(25*time.Hour))
	begins(1, mail, web)

	// One that a person made stands as high as its agent did then, and less once an agent of a lower level changes it.
	own := w.plan(t, wire.ScheduleCron, "0 12 * * *", nil)
	if own.Level != 3 || len(own.Outside) != 0 {
		t.Errorf("%+v", own)
	}
	own2, err := w.Edit(t.Context(), wire.ScheduleEdit{ID: own.ID, Task: &task}, schedule.Behind{Level: 2, Taint: []policy.Source{web}})
	if err != nil || own2.Level != 2 || len(own2.Outside) != 1 {
		t.Errorf("%+v, %v", own2, err)
	}
}

// TestCreate_once: a request that comes twice makes one schedule, also when the time that it names has passed meanwhile.
func TestCreate_once(t *testing.T) {
	t.Parallel()
	w := start(t)
	c := wire.ScheduleCreate{ID: newID(t), Agent: "it-admin", Kind: wire.ScheduleReminder, Spec: "in 20 minutes", Task: "Call"}
	one := ask[wire.Schedule](t, w, wire.MethodScheduleCreate, c)
	w.at(t, monday.Add(time.Hour))
	two := ask[wire.Schedule](t, w, wire.MethodScheduleCreate, c)
	c.Spec = "2026-11-30T08:00" // has passed
	three := ask[wire.Schedule](t, w, wire.MethodScheduleCreate, c)
	if one.ID != two.ID || two.ID != three.ID || one.Spec != three.Spec {
		t.Errorf("%+v, %+v, %+v", one, two, three)
	}
	by := schedule.Behind{CallID: "c1", Level: 2}
	for _, id := range []string{newID(t), newID(t)} {
		c.ID, c.Spec = id, "tomorrow at 9"
		if _, err := w.Create(t.Context(), c, by); err != nil {
			t.Fatal(err)
		}
	}
	if all := ask[wire.SchedulesResult](t, w, wire.MethodSchedulesList, wire.SchedulesParams{}); len(all.Items) != 2 {
		t.Errorf("%d schedules", len(all.Items))
	}
}

// TestPass_reminder: a reminder is due at its time, to the second, says its task in the conversation in which it was asked for,
// and is done.
func TestPass_reminder(t *testing.T) {
	t.Parallel()
	w := start(t)
	session := newID(t)
	made, err := w.Create(t.Context(), wire.ScheduleCreate{
		ID: newID(t), Agent: "dispatcher", Kind: wire.ScheduleReminder, Spec: "tomorrow at 9", Task: "Call the tax office", By: owner,
	}, schedule.Behind{CallID: "c", Session: session, Level: 2})
	nine := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	if err != nil || !made.Next.Equal(nine) || made.Says != "Tuesday, 1 December 2026 at 09:00 (Europe/Vienna)" {
		t.Fatalf("%+v, %v", made, err)
	}
	if next := w.at(t, nine.Add(-time.Second)); w.count(t) != 0 || !next.Equal(nine) {
		t.Errorf("%d runs, next at %v", w.count(t), next)
	}
	w.at(t, nine)
	if got := w.runs.last; got.Say != "Reminder: Call the tax office" || got.Session != session || got.Fresh || got.From != owner {
		t.Errorf("%+v", got)
	}
	w.end(t, wire.RunDone, false)
	w.at(t, nine.Add(48*time.Hour))
	v := ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: made.ID})
	if v.State != wire.ScheduleDone || !v.Next.IsZero() || v.Last == nil || v.Last.Outcome != wire.TickDone || w.count(t) != 1 {
		t.Errorf("%+v, last %+v, %d runs", v, v.Last, w.count(t))
	}
	want(t, "receipts", w.receipts(t, made.ID), "schedule.created", "schedule.tick", "schedule.outcome")
}

// TestPass_asleep: after two days asleep, each tick has its verdict, and at most one run makes up for them.
func TestPass_asleep(t *testing.T) {
	t.Parallel()
	w := start(t)
	once := w.plan(t, wire.ScheduleCron, "0 9 * * *", nil)
	skip := w.plan(t, wire.ScheduleCron, "0 9 * * *", func(c *wire.ScheduleCreate) { c.CatchUp = wire.CatchUpSkip })
	single := w.plan(t, wire.ScheduleAt, "2026-11-30T10:00", nil)
	often := w.plan(t, wire.ScheduleEvery, "1m", nil)
	w.at(t, monday.Add(51*time.Hour)) // Wednesday, 10:45 in Vienna
	want(t, "once", w.history(t, once.ID), "Mon 08:00 missed", "Tue 08:00 missed", "Wed 08:00 caught_up open")
	want(t, "skip", w.history(t, skip.ID), "Mon 08:00 missed", "Tue 08:00 missed", "Wed 08:00 missed")
	want(t, "single", w.history(t, single.ID), "Mon 09:00 caught_up open")
	minutes := w.history(t, often.ID)
	if n := len(minutes); n != 51*60 || minutes[n-1] != "Wed 09:45 ran open" || minutes[n-2] != "Wed 09:44 missed" ||
		minutes[0] != "Mon 06:46 missed" {
		t.Errorf("%d verdicts, at the end %q", n, minutes[max(0, n-2):])
	}
	w.at(t, monday.Add(51*time.Hour+30*time.Second))
	if n := w.count(t); n != 3 {
		t.Errorf("%d runs", n)
	}
}

// TestPass_clockSet: a clock that is set back runs nothing twice, one that is set forward loses nothing.
func TestPass_clockSet(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleCron, "30 * * * *", nil)
	w.at(t, monday.Add(50*time.Minute)) // 7:35
	w.end(t, wire.RunDone, false)
	w.at(t, monday.Add(-10*time.Minute)) // back by an hour
	w.at(t, monday.Add(46*time.Minute))
	w.at(t, monday.Add(50*time.Minute))
	want(t, "set back", w.history(t, made.ID), "Mon 07:30 ran done")
	w.at(t, monday.Add(110*time.Minute)) // 8:35
	w.end(t, wire.RunDone, false)
	w.at(t, monday.Add(3*time.Hour)) // forward, beyond 9:30
	want(t, "set forward", w.history(t, made.ID), "Mon 07:30 ran done", "Mon 08:30 ran done", "Mon 09:30 caught_up open")
}

// TestPass_blocked: what stands in the way of a tick is its verdict.
func TestPass_blocked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(w *world, id string)
		reason string
	}{
		"paused": {func(w *world, id string) {
			ask[wire.Schedule](t, w, wire.MethodSchedulePause, wire.ScheduleAct{ID: id, By: owner})
		}, "It is paused."},
		"all paused": {func(w *world, _ string) {
			ask[wire.ScheduleSettings](t, w, wire.MethodSchedulesSet, wire.ScheduleSettings{Paused: true, By: owner})
		}, "All schedules are paused."},
		"agent off": {func(w *world, _ string) {
			w.cfg.Agents = map[string]wire.AgentConfig{"it-admin": {Off: true}}
		}, "Its agent is switched off."},
		"agent removed": {func(w *world, _ string) { w.gone["it-admin"] = true }, "Its agent is not in the team anymore, so it is paused."},
		"budget": {func(w *world, _ string) {
			w.paused = &wire.AgentPause{Agent: "it-admin", Budget: wire.BudgetPool}
		}, "Paused by budget: the tokens of this month are used up."},
		"team rests": {func(w *world, _ string) { w.cfg.Spend.Paused = wire.PausedPayment }, "The team rests."},
		"quiet hours": {func(w *world, _ string) {
			ask[wire.ScheduleSettings](t, w, wire.MethodSchedulesSet, wire.ScheduleSettings{
				QuietFrom: "22:00", QuietTo: "08:30",
				By: owner,
			})
		}, "It was due in the quiet hours."},
		"at work": {func(w *world, id string) {
			ask[wire.ScheduleTick](t, w, wire.MethodScheduleRun, wire.ScheduleRun{ID: id, RunID: newID(t), By: owner})
		}, "Its run before was still at work."},
	} {
		w := start(t)
		made := w.plan(t, wire.ScheduleEvery, "30m", nil)
		c.before(w, made.ID)
		before := w.count(t)
		w.at(t, monday.Add(31*time.Minute))
		v := ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: made.ID})
		if v.Last == nil || v.Last.Verdict != wire.TickSkipped || v.Last.Reason != c.reason || w.count(t) != before {
			t.Errorf("%s: %+v, %d runs", name, v.Last, w.count(t)-before)
		}
		if name == "agent removed" && (v.State != wire.SchedulePaused || v.Why != wire.PausedNoAgent) {
			t.Errorf("%s: %s, %s", name, v.State, v.Why)
		}
	}
}

// TestPass_budget: however many ticks pass while a budget is used up, none of them counts as failed, a reminder is said all the same,
// and the first tick after that runs.
func TestPass_budget(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleEvery, "1h", nil)
	said := w.plan(t, wire.ScheduleReminder, "2026-11-30T09:30", nil)
	now := monday.Add(time.Hour)
	w.at(t, now)
	w.runs.spent = true
	w.end(t, wire.RunFailed, false) // the run that was refused is how it comes out
	w.paused = &wire.AgentPause{Agent: "it-admin", Budget: wire.BudgetTeam}
	for range 2 * wire.MaxScheduleFailures {
		now = now.Add(time.Hour)
		w.at(t, now)
	}
	if n := w.count(t); n != 2 {
		t.Errorf("%d runs, want the refused one and the reminder", n)
	}
	w.paused = nil
	w.at(t, now.Add(time.Hour))
	v := ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: made.ID})
	if v.State != wire.ScheduleActive || v.Failed != 0 || v.Last == nil || v.Last.Verdict != wire.TickRan {
		t.Errorf("%s, %d failed, %+v", v.State, v.Failed, v.Last)
	}
	ticks := w.history(t, made.ID)
	if ticks[0] != "Mon 07:45 ran paused" || ticks[1] != "Mon 08:45 skipped" {
		t.Errorf("%q", ticks[:2])
	}
	if got := w.history(t, said.ID); len(got) != 1 || !strings.HasPrefix(got[0], "Mon 08:30 caught_up") {
		t.Errorf("the reminder: %q", got)
	}
}

// TestPass_quietHours: a time that somebody named is kept also at night.
func TestPass_quietHours(t *testing.T) {
	t.Parallel()
	w := start(t)
	ask[wire.ScheduleSettings](t, w, wire.MethodSchedulesSet, wire.ScheduleSettings{QuietFrom: "22:00", QuietTo: "08:30", By: owner})
	made := w.plan(t, wire.ScheduleCron, "5 8 * * *", nil)
	w.at(t, monday.Add(20*time.Minute))
	want(t, "named", w.history(t, made.ID), "Mon 07:05 ran open")
}

// TestPass_fails: a run that fails is repeated after the same times for everyone, then listed as failed; one that has changed
// something is not repeated.
func TestPass_fails(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleAt, "2026-11-30T08:00", nil)
	now := monday.Add(15 * time.Minute)
	w.at(t, now)
	for n, d := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		w.end(t, wire.RunFailed, false)
		w.at(t, now.Add(d-time.Second))
		if got := w.count(t); got != n+1 {
			t.Fatalf("%d runs after try %d", got, n+1)
		}
		now = now.Add(d)
		w.at(t, now)
	}
	w.end(t, wire.RunFailed, false)
	w.at(t, now.Add(24*time.Hour))
	want(t, "history", w.history(t, made.ID), "Mon 07:00 ran failed")
	if n := w.count(t); n != 4 {
		t.Errorf("%d runs", n)
	}
	failed := ask[wire.ScheduleTicks](t, w, wire.MethodSchedulesFailed, wire.SchedulesParams{})
	if len(failed.Items) != 1 || failed.Items[0].Try != 4 || !strings.Contains(failed.Items[0].Reason, "the model did not answer") {
		t.Errorf("%+v", failed.Items)
	}
	ask[wire.Schedule](t, w, wire.MethodScheduleDismiss, wire.ScheduleAct{ID: made.ID, By: owner})
	if failed := ask[wire.ScheduleTicks](t, w, wire.MethodSchedulesFailed, wire.SchedulesParams{}); len(failed.Items) != 0 {
		t.Errorf("%+v", failed.Items)
	}

	changes := w.plan(t, wire.ScheduleEvery, "1h", nil)
	for n := range wire.MaxScheduleFailures {
		w.at(t, now.Add(24*time.Hour+time.Duration(n+1)*time.Hour+2*time.Minute))
		w.end(t, wire.RunFailed, true)
	}
	v := ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: changes.ID})
	if w.count(t) != 4+wire.MaxScheduleFailures || v.Failed != wire.MaxScheduleFailures || v.State != wire.SchedulePaused ||
		v.Why != wire.PausedFailing {
		t.Errorf("%d runs, %+v", w.count(t), v)
	}
}

// TestPass_nextBeforeRetry: the next tick takes the place of what waits for another try.
func TestPass_nextBeforeRetry(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleEvery, "2m", nil)
	for n := 1; n <= 2; n++ {
		w.at(t, monday.Add(2*time.Minute))
		w.end(t, wire.RunFailed, false)
		w.at(t, monday.Add(3*time.Minute))
		w.end(t, wire.RunFailed, false)
	}
	w.at(t, monday.Add(4*time.Minute))
	want(t, "history", w.history(t, made.ID), "Mon 06:47 ran failed", "Mon 06:49 ran open")
	w.end(t, wire.RunDone, false)
	w.at(t, monday.Add(5*time.Minute))
	if n := w.count(t); n != 3 {
		t.Errorf("%d runs", n)
	}
}

// TestPass_conversationDeleted: a schedule whose conversation was deleted goes on in one of its own.
func TestPass_conversationDeleted(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleEvery, "10m", nil)
	w.runs.refuse[made.Session] = true
	w.at(t, monday.Add(10*time.Minute))
	v := ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: made.ID})
	if v.Session == made.Session || w.runs.last.Session != v.Session || v.Last.Verdict != wire.TickRan {
		t.Errorf("%+v", v)
	}
}

// TestRunNow: once for each request, whether or not it is paused, and never while a run is at work.
func TestRunNow(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleEvery, "1h", nil)
	ask[wire.Schedule](t, w, wire.MethodSchedulePause, wire.ScheduleAct{ID: made.ID, By: owner})
	run := wire.ScheduleRun{ID: made.ID, RunID: newID(t), By: owner}
	one, two := ask[wire.ScheduleTick](t, w, wire.MethodScheduleRun, run), ask[wire.ScheduleTick](t, w, wire.MethodScheduleRun, run)
	if one != two || one.RunID != run.RunID || !one.Asked || w.count(t) != 1 {
		t.Errorf("%+v, %+v, %d runs", one, two, w.count(t))
	}
	run.RunID = newID(t)
	if _, err := try[wire.ScheduleTick](w, wire.MethodScheduleRun, run); schedule.Refusal(err) == "" || w.count(t) != 1 {
		t.Errorf("%v, %d runs", err, w.count(t))
	}
}

func TestCreate_refuses(t *testing.T) {
	t.Parallel()
	w := start(t)
	for name, c := range map[string]struct {
		with func(c *wire.ScheduleCreate)
		code string
	}{
		"no agent":     {func(c *wire.ScheduleCreate) { c.Agent = "nobody" }, "bad_request"},
		"no id":        {func(c *wire.ScheduleCreate) { c.ID = "1" }, "bad_request"},
		"no task":      {func(c *wire.ScheduleCreate) { c.Task = " " }, "bad_request"},
		"a command":    {func(c *wire.ScheduleCreate) { c.Task = "/stop" }, "bad_request"},
		"too long":     {func(c *wire.ScheduleCreate) { c.Task = strings.Repeat("a", wire.MaxScheduleTask+1) }, "bad_request"},
		"no zone":      {func(c *wire.ScheduleCreate) { c.TimeZone = "Nowhere/Land" }, "bad_request"},
		"its own zone": {func(c *wire.ScheduleCreate) { c.TimeZone = "Local" }, "bad_request"},
		"too often":    {func(c *wire.ScheduleCreate) { c.Spec = "10s" }, "bad_request"},
		"passed":       {func(c *wire.ScheduleCreate) { c.Spec = "2026-01-01T09:00" }, "bad_request"},
		"no time":      {func(c *wire.ScheduleCreate) { c.Spec = "soon" }, "bad_request"},
		"two meanings": {func(c *wire.ScheduleCreate) { c.Spec = "next Friday" }, "conflict"},
		"no kind":      {func(c *wire.ScheduleCreate) { c.Kind = "never" }, "bad_request"},
		"monitor":      {func(c *wire.ScheduleCreate) { c.Kind = wire.ScheduleMonitor }, "bad_request"},
		"channel":      {func(c *wire.ScheduleCreate) { c.Deliver.To = wire.DeliverChannel }, "bad_request"},
		"webhook":      {func(c *wire.ScheduleCreate) { c.Deliver.To = wire.DeliverWebhook }, "bad_request"},
		"heartbeat":    {func(c *wire.ScheduleCreate) { c.Kind, c.Spec = wire.ScheduleHeartbeat, "0 9 * * *" }, "bad_request"},
	} {
		q := wire.ScheduleCreate{ID: newID(t), Agent: "it-admin", Spec: "1h", Task: "Look", By: owner}
		c.with(&q)
		_, err := try[wire.Schedule](w, wire.MethodScheduleCreate, q)
		var no *wire.RPCError
		if !errors.As(err, &no) || no.Code != c.code || no.Text == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all := ask[wire.SchedulesResult](t, w, wire.MethodSchedulesList, wire.SchedulesParams{}); len(all.Items) != 0 {
		t.Errorf("%d schedules", len(all.Items))
	}
	for n := range wire.MaxSchedules + 1 {
		q := wire.ScheduleCreate{ID: newID(t), Agent: "it-admin", Spec: "1h", Task: "Look", By: owner}
		if _, err := try[wire.Schedule](w, wire.MethodScheduleCreate, q); (err != nil) != (n == wire.MaxSchedules) {
			t.Fatalf("schedule %d: %v", n+1, err)
		}
	}
}

// TestList: by pages, what is due next first; with filters; without what was deleted.
func TestList(t *testing.T) {
	t.Parallel()
	w := start(t)
	var ids []string
	for _, spec := range []string{"2026-11-30T12:00", "2026-11-30T09:00", "2026-11-30T08:00", "2026-11-30T15:00"} {
		ids = append(ids, w.plan(t, wire.ScheduleAt, spec, func(c *wire.ScheduleCreate) { c.Title = "At " + spec }).ID)
	}
	w.at(t, monday.Add(20*time.Minute)) // the third is done
	ask[wire.Schedule](t, w, wire.MethodScheduleDelete, wire.ScheduleAct{ID: ids[3], By: owner})
	var got []string
	for after := ""; ; {
		page := ask[wire.SchedulesResult](t, w, wire.MethodSchedulesList, wire.SchedulesParams{Limit: 1, After: after})
		for _, s := range page.Items {
			got = append(got, s.ID)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	want(t, "pages", got, ids[1], ids[0], ids[2])
	for name, c := range map[string]struct {
		p    wire.SchedulesParams
		want int
	}{
		"q": {wire.SchedulesParams{Q: "t 2026-11-30t12"}, 1}, "agent": {wire.SchedulesParams{Agent: "secretary"}, 0},
		"done": {wire.SchedulesParams{State: wire.ScheduleDone}, 1}, "deleted": {wire.SchedulesParams{State: wire.ScheduleDeleted}, 1},
		"kind": {wire.SchedulesParams{Kind: wire.ScheduleCron}, 0}, "wild": {wire.SchedulesParams{Q: "%"}, 0},
	} {
		if page := ask[wire.SchedulesResult](t, w, wire.MethodSchedulesList, c.p); len(page.Items) != c.want {
			t.Errorf("%s: %d", name, len(page.Items))
		}
	}
	if _, err := try[wire.SchedulesResult](w, wire.MethodSchedulesList, wire.SchedulesParams{After: "x"}); schedule.Refusal(err) == "" {
		t.Errorf("%v", err)
	}
}

// TestDue: a calendar has what is to come, in its order.
func TestDue(t *testing.T) {
	t.Parallel()
	w := start(t)
	daily, friday := w.plan(t, wire.ScheduleCron, "0 9 * * *", nil), w.plan(t, wire.ScheduleEvery, "every second Friday", nil)
	paused := w.plan(t, wire.ScheduleCron, "0 10 * * *", nil)
	ask[wire.Schedule](t, w, wire.MethodSchedulePause, wire.ScheduleAct{ID: paused.ID, By: owner})
	from := time.Date(2026, 12, 4, 0, 0, 0, 0, time.UTC)
	got := ask[wire.SchedulesDue](t, w, wire.MethodSchedulesDue, wire.SchedulesDueParams{From: from, Until: from.AddDate(0, 0, 2)})
	var all []string
	for _, d := range got.Items {
		all = append(all, d.Schedule+d.Due.Format(" Mon 15:04"))
	}
	slices.Sort(all)
	expect := []string{daily.ID + " Fri 08:00", daily.ID + " Sat 08:00", friday.ID + " Fri 08:00"}
	slices.Sort(expect)
	want(t, "calendar", all, expect...)
	if _, err := try[wire.SchedulesDue](w, wire.MethodSchedulesDue, wire.SchedulesDueParams{From: from, Until: from.AddDate(2, 0,
		0)}); err == nil {
		t.Error("two years were shown")
	}
}

// TestRead: what is written is shown back as a time, or asked back.
func TestRead(t *testing.T) {
	t.Parallel()
	w := start(t)
	r := ask[wire.ScheduleReading](t, w, wire.MethodScheduleRead, wire.ScheduleReadParams{Spec: "jeden Montag um 8"})
	if r.Kind != wire.ScheduleCron || r.Spec != "0 8 * * 1" || r.Says != "every Monday at 08:00 (Europe/Vienna)" || len(r.Next) != 5 {
		t.Errorf("%+v", r)
	}
	r = ask[wire.ScheduleReading](t, w, wire.MethodScheduleRead, wire.ScheduleReadParams{
		Spec:     "next Friday at 8",
		TimeZone: "America/New_York",
	})
	if r.Ask == "" || len(r.Choices) != 2 || r.TimeZone != "America/New_York" {
		t.Errorf("%+v", r)
	}
}

// TestEdit: another time counts from now; one that was read before it was changed is a conflict.
func TestEdit(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleEvery, "1h", nil)
	spec, title := "30m", "Disk"
	got := ask[wire.Schedule](t, w, wire.MethodScheduleEdit, wire.ScheduleEdit{
		ID: made.ID, Version: 1, Spec: &spec, Title: &title,
		By: owner,
	})
	if got.Version != 2 || got.Spec != "30m" || got.Title != "Disk" || !got.Next.Equal(monday.Add(30*time.Minute)) ||
		got.Task != made.Task {
		t.Errorf("%+v", got)
	}
	if _, err := try[wire.Schedule](w, wire.MethodScheduleEdit, wire.ScheduleEdit{
		ID: made.ID, Version: 1, Spec: &spec,
		By: owner,
	}); err == nil {
		t.Error("an older version was changed")
	}
	ask[wire.Schedule](t, w, wire.MethodScheduleDelete, wire.ScheduleAct{ID: made.ID, By: owner})
	if _, err := try[wire.Schedule](w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: made.ID, Spec: &spec, By: owner}); err == nil {
		t.Error("a deleted one was changed")
	}
	w.at(t, monday.Add(5*time.Hour))
	if n := w.count(t); n != 0 {
		t.Errorf("a deleted one ran %d times", n)
	}
}

// TestTidy_agentRemoved: at the start, schedules of agents that are gone are paused; giving one to another agent wakes it.
func TestTidy_agentRemoved(t *testing.T) {
	t.Parallel()
	w := start(t)
	made := w.plan(t, wire.ScheduleEvery, "1h", nil)
	w.gone["it-admin"] = true
	if err := w.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: made.ID})
	if v.State != wire.SchedulePaused || v.Why != wire.PausedNoAgent {
		t.Errorf("%+v", v)
	}
	if _, err := try[wire.Schedule](w, wire.MethodScheduleResume, wire.ScheduleAct{ID: made.ID, By: owner}); schedule.Refusal(err) == "" {
		t.Errorf("it was resumed: %v", err)
	}
	other := "secretary"
	v = ask[wire.Schedule](t, w, wire.MethodScheduleEdit, wire.ScheduleEdit{ID: made.ID, Agent: &other, By: owner})
	if v.State != wire.ScheduleActive || v.Agent != other {
		t.Errorf("%+v", v)
	}
}

// TestRunEnded: the end of a run is noted in the transaction that writes it, once: a try that failed is planned again, one that ended
// well is done; a run of nobody changes nothing.
func TestRunEnded(t *testing.T) {
	t.Parallel()
	w := start(t)
	id := w.plan(t, wire.ScheduleEvery, "6h", nil).ID
	w.at(t, monday.Add(6*time.Hour+3*time.Minute))
	ends := func(run string, state wire.RunState) {
		t.Helper()
		err := w.db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.ExecContext(context.Background(), "UPDATE test_runs SET state = ? WHERE id = ?", state, run)
			return errors.Join(err, w.RunEnded(tx, run))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	last := func() wire.ScheduleTick {
		return *ask[wire.Schedule](t, w, wire.MethodScheduleGet, wire.ScheduleParams{ID: id}).Last
	}
	ends(newID(t), wire.RunDone)
	if k := last(); k.Outcome != wire.TickOpen {
		t.Fatalf("after a run of nobody: %+v", k)
	}
	ends(last().RunID, wire.RunFailed)
	k := last()
	if k.Outcome != wire.TickRetried || k.RetryAt.IsZero() {
		t.Fatalf("after a run that failed: %+v", k)
	}
	w.at(t, k.RetryAt)
	ends(last().RunID, wire.RunDone)
	ends(last().RunID, wire.RunDone)
	if k := last(); k.Outcome != wire.TickDone || k.Try != 2 {
		t.Errorf("%+v", k)
	}
	if got := w.receipts(t, id); strings.Count(strings.Join(got, " "), "schedule.outcome") != 2 {
		t.Errorf("%q", got)
	}
}
