package schedule_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web/portal/portaltest"
)

// planner is a server that keeps one schedule.
type planner struct {
	kept    wire.Schedule
	created []wire.ScheduleCreate
	set     wire.ScheduleSettings
	run     string
}

func (p *planner) answer(_ context.Context, m wire.Method, raw json.RawMessage) (any, error) {
	switch m {
	case wire.MethodSchedulesList:
		r := wire.SchedulesResult{Settings: p.set, Failed: p.kept.Failed}
		if p.kept.ID != "" {
			r.Items = []wire.Schedule{p.kept}
		}
		return r, nil
	case wire.MethodScheduleRead:
		var q wire.ScheduleReadParams
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, err
		}
		if q.Spec == "at 6" {
			return wire.ScheduleReading{Ask: "In the morning or in the evening?"}, nil
		}
		return wire.ScheduleReading{Kind: wire.ScheduleCron, Spec: "0 8 * * 1", Says: "every Monday at 08:00"}, nil
	case wire.MethodScheduleCreate:
		var q wire.ScheduleCreate
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, err
		}
		p.created = append(p.created, q)
		p.kept = wire.Schedule{
			ID: q.ID, Agent: q.Agent, Kind: q.Kind, Spec: q.Spec, Says: "every Monday at 08:00", Title: q.Task, Task: q.Task, Version: 1,
			State: wire.ScheduleActive, Condition: q.Condition,
			Next: time.Date(2030, 3, 4, 8, 0, 0, 0, time.UTC), TimeZone: q.TimeZone, CatchUp: q.CatchUp,
		}
		return p.kept, nil
	case wire.MethodScheduleTicks:
		return wire.ScheduleTicks{Items: []wire.ScheduleTick{{
			Schedule: p.kept.ID, Due: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), Verdict: wire.TickMissed, Reason: "The server was off.",
		}}}, nil
	case wire.MethodSchedulesFailed:
		return wire.ScheduleTicks{Items: []wire.ScheduleTick{{
			Schedule: p.kept.ID, Due: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC), Verdict: wire.TickRan, Outcome: wire.TickFailed,
			Reason: "Its run failed, 4 times in all: no model answered",
		}}}, nil
	case wire.MethodScheduleEdit:
		var q wire.ScheduleEdit
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, err
		}
		p.kept.Task, p.kept.Version = *q.Task, q.Version+1
		return p.kept, nil
	case wire.MethodSchedulePause:
		p.kept.State, p.kept.Why = wire.SchedulePaused, wire.PausedByOwner
		return p.kept, nil
	case wire.MethodScheduleRun:
		var q wire.ScheduleRun
		if err := json.Unmarshal(raw, &q); err != nil {
			return nil, err
		}
		p.run = q.RunID
		return wire.ScheduleTick{Schedule: q.ID, RunID: q.RunID, Verdict: wire.TickRan, Asked: true}, nil
	case wire.MethodScheduleDelete:
		was := p.kept
		p.kept = wire.Schedule{}
		return was, nil
	case wire.MethodSchedulesSet:
		return p.set, json.Unmarshal(raw, &p.set)
	case wire.MethodSchedulesDue:
		return wire.SchedulesDue{Items: []wire.ScheduleDue{{Schedule: p.kept.ID, Title: p.kept.Title, Due: p.kept.Next}}}, nil
	case wire.MethodScheduleGet:
		if p.kept.ID != "" {
			return p.kept, nil
		}
	}
	return nil, fault.New(fault.NotFound, "not-found", "no such thing", "There is no such thing.")
}

// TestSchedules: an owner makes a schedule, reads when it is due and what became of it, changes, runs, pauses and deletes it, and pauses
// all; what can mean two things is asked back; who may only look has no forms.
func TestSchedules(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &planner{}
	p.Also = s.answer
	b := h.Owner(t, of)
	says := func(path string, want ...string) {
		t.Helper()
		page := b.Get(path)
		portaltest.WantSound(t, path, page.Document)
		for _, w := range want {
			if text := page.Find("body").Text(); !strings.Contains(text, w) {
				t.Errorf("%s does not say %q: %s", path, w, page.Find("main").Text())
			}
		}
	}
	says("/app/schedules", "No schedules yet", "remind me tomorrow")
	says("/app/schedules/new", "tomorrow at 9")
	typed := url.Values{"spec": {"at 6"}, "task": {"Count the flour"}, "does": {"work"}, "agent": {"secretary"}, "once": {"one"}}
	if got := b.Post("/app/schedules/new", typed); got.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(got.Find("#schedule-form").Text(), "In the morning or in the evening?") || len(s.created) != 0 {
		t.Fatalf("what can mean two things: %d, %s", got.StatusCode, got.Find("main").Text())
	}
	typed.Set("spec", "every monday at 8")
	one := b.Post("/app/schedules/new", typed).Header.Get("Location")
	b.Post("/app/schedules/new", typed)
	if len(s.created) != 2 || s.created[0].ID != s.created[1].ID || s.created[0].Kind != wire.ScheduleCron {
		t.Fatalf("sent twice: %+v", s.created)
	}
	says(one, "It is kept: every Monday at 08:00.", "Missed", "The server was off.", "Active")
	says("/app/schedules?q=flour", "Count the flour", "every Monday at 08:00")
	says("/app/schedules/month?month=2030-03", "Count the flour", "Mar 2030")
	typed.Set("task", "Count the sugar")
	typed.Set("version", "1")
	b.Post(one+"/edit", typed)
	says(one, "It is changed", "Count the sugar")
	for act, said := range map[string]string{"run": "It runs now.", "pause": "Paused by you"} {
		b.Post(one+"/act", url.Values{"act": {act}, "once": {"two"}})
		says(one, said)
	}
	if s.run == "" {
		t.Error("it did not run")
	}
	b.Post("/app/schedules/all", url.Values{"paused": {"on"}})
	says("/app/schedules", "All schedules are paused")
	b.Post("/app/schedules/quiet", url.Values{"from": {"22:00"}, "to": {"07:00"}})
	if s.set.QuietFrom != "22:00" || s.set.QuietTo != "07:00" || !s.set.Paused {
		t.Errorf("the settings are %+v", s.set)
	}
	says("/app/schedules", "The quiet hours are kept.")
	says("/app/schedules/failed", "Count the", "4 times in all")
	if got := b.Post(one+"/act", url.Values{"act": {"explode"}}); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("an act that is none: %d", got.StatusCode)
	}
	looker := h.As(t, h.Member(t, of, "A baker", account.Rights{Role: account.Member}))
	if got := looker.Get(one); got.StatusCode != http.StatusOK {
		t.Errorf("who may look: %d", got.StatusCode)
	}
	if got := looker.Get("/app/schedules/new"); got.StatusCode != http.StatusForbidden {
		t.Errorf("who may only look has the form: %d", got.StatusCode)
	}
	if got := looker.Post(one+"/act", url.Values{"act": {"run"}}); got.StatusCode != http.StatusForbidden {
		t.Errorf("who may only look runs it: %d", got.StatusCode)
	}
	b.Post(one+"/act", url.Values{"act": {"delete"}})
	says("/app/schedules", "It is deleted.", "No schedules yet")
}

// TestSchedules_watch: an owner has a number watched: how full the disk is, or what another tool gives; the form shows it again.
func TestSchedules_watch(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, _ := h.Demo(t, of)
	s := &planner{}
	p.Also = s.answer
	b := h.Owner(t, of)
	typed := url.Values{
		"agent": {"it-admin"}, "does": {"watch"}, "spec": {"every hour"}, "task": {"The disk is nearly full."}, "watch": {"disk"},
		"is": {"above"}, "value": {"much"},
	}
	if got := b.Post("/app/schedules/new", typed); got.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(got.Find("main").Text(), "Write a number to compare with.") {
		t.Errorf("%d %s", got.StatusCode, got.Find("main").Text())
	}
	typed.Set("value", "90,5")
	one := b.Post("/app/schedules/new", typed).Header.Get("Location")
	if len(s.created) != 1 || s.created[0].Kind != wire.ScheduleMonitor {
		t.Fatalf("%+v", s.created)
	}
	want := wire.ScheduleCondition{Tool: "shell", Args: `{"command":"df --output=pcent /"}`, Is: "above", Value: 90.5}
	if got := s.created[0].Condition; got == nil || *got != want {
		t.Errorf("%+v", got)
	}
	page := b.Get(one)
	portaltest.WantSound(t, one, page.Document)
	if text := page.Find("#schedule").Text(); !strings.Contains(text, "df --output=pcent /") || !strings.Contains(text, "above 90.5") {
		t.Errorf("%s", text)
	}
	typed.Set("watch", "own")
	typed.Set("tool", "http_request")
	typed.Set("args", `{"method":"GET","url":"https://shop.example/stock"}`)
	typed.Set("by", "path")
	typed.Set("place", "stock.0.left")
	b.Post("/app/schedules/new", typed)
	got := s.created[1].Condition
	if got.Path != "stock.0.left" || got.Tool != "http_request" || got.Find != "" {
		t.Errorf("%+v", got)
	}
	form := b.Get("/app/schedules/" + s.kept.ID + "/edit")
	if v, _ := form.Find("[name=place]").Attr("value"); v != "stock.0.left" {
		t.Errorf("the form shows %q", v)
	}
}
