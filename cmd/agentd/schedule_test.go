package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// told asks the server, and reads its answer.
func told[T any](h *hub, m wire.Method, params any) (out T) {
	h.t.Helper()
	h.linked()
	r := h.ask(m, params)
	if r.Error != nil {
		h.t.Fatalf("%s: %v", m, r.Error)
	}
	if err := json.Unmarshal(r.Result, &out); err != nil {
		h.t.Fatal(err)
	}
	return out
}

// ticked waits until the one schedule of a server has a tick with this outcome.
func (h *hub) ticked(outcome wire.TickOutcome) wire.Schedule {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		all := told[wire.SchedulesResult](h, wire.MethodSchedulesList, wire.SchedulesParams{})
		if len(all.Items) == 1 && all.Items[0].Last != nil && all.Items[0].Last.Outcome == outcome {
			return all.Items[0]
		}
		time.Sleep(10 * time.Millisecond) // the answer is asked for again until it is there
	}
	h.t.Fatalf("no schedule has a tick that is %s", outcome)
	return wire.Schedule{}
}

// TestAgentd_reminder: an owner asks in chat to be reminded, the server is killed, and when it is there again the reminder stands in
// the same conversation, once.
func TestAgentd_reminder(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	made := h.ended(h.say("Remind me in 2 seconds to call the tax office"))
	if made.Final == nil || !strings.Contains(made.Final.Text, "call the tax office") || made.Final.Verdict == wire.VerdictNotProven {
		t.Fatalf("%+v, %+v", made.Final, made.Error)
	}
	s.kill()
	s.back()
	plan := h.ticked(wire.TickDone)
	if plan.State != wire.ScheduleDone || plan.Kind != wire.ScheduleReminder || plan.Session != made.SessionID || plan.RunID != made.ID {
		t.Errorf("%+v", plan)
	}
	talk := told[wire.Session](h, wire.MethodSessionGet, wire.SessionParams{SessionID: made.SessionID})
	if len(talk.Turns) != 2 {
		t.Fatalf("%d turns", len(talk.Turns))
	}
	said := talk.Turns[1]
	if said.From.Channel != "schedule" || said.Run.Final == nil || said.Run.Final.Text != "Reminder: call the tax office" {
		t.Errorf("%+v, %+v", said.From, said.Run.Final)
	}
	if types := strings.Join(s.receipts(t, plan.Last.RunID), " "); types != "schedule.tick schedule.outcome" {
		t.Errorf("receipts of its run: %s", types)
	}
}

// TestAgentd_daily: a task that comes again is planned by chat and run by its agent, through the gate, in a conversation of its own.
func TestAgentd_daily(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	h.ended(h.say("Every Monday at 8 tell me how full the disk is"))
	all := told[wire.SchedulesResult](h, wire.MethodSchedulesList, wire.SchedulesParams{})
	if len(all.Items) != 1 || all.Items[0].Spec != "0 8 * * 1" || all.Items[0].Agent != "dispatcher" || all.Items[0].TimeZone != "UTC" {
		t.Fatalf("%+v", all.Items)
	}
	plan := all.Items[0]
	if next := plan.Next; next.Weekday() != time.Monday || next.Hour() != 8 || !next.After(time.Now()) {
		t.Errorf("it is due on %v", next)
	}
	run := wire.ScheduleRun{ID: plan.ID, RunID: newUUID(), By: wire.Origin{Channel: "portal"}}
	tick := told[wire.ScheduleTick](h, wire.MethodScheduleRun, run)
	ended := h.ended(tick.RunID)
	if ended.Final == nil || !strings.Contains(ended.Final.Text, "full") || ended.SessionID != plan.Session || len(ended.Tree) != 1 {
		t.Errorf("%+v, %+v, in %s", ended.Final, ended.Error, ended.SessionID)
	}
	h.ticked(wire.TickDone)
	if types := strings.Join(s.receipts(t, run.RunID), " "); !strings.Contains(types, "schedule.tick") || !strings.Contains(types,
		"call.finished") {
		t.Errorf("receipts of its run: %s", types)
	}
}

// TestAgentd_reminderKilled: killed between "tick due" and "verdict written", and right after it, the reminder is said once.
func TestAgentd_reminderKilled(t *testing.T) {
	t.Parallel()
	program, err := mortal()
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range []string{"schedule due:1", "schedule begun:1", "schedule told:1"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			h := newHub(t)
			s := start(t, h)
			made := h.ended(h.say("Remind me in 3 seconds to call the tax office"))
			s.kill()
			s.program, s.extra = program, append(s.extra, "FAILPOINT="+point)
			s.run()
			if code := s.end(); code != -1 {
				t.Fatalf("it was not killed: exit %d", code)
			}
			s.program, s.extra = "", s.extra[:len(s.extra)-1]
			s.back()
			h.ticked(wire.TickDone)
			talk := told[wire.Session](h, wire.MethodSessionGet, wire.SessionParams{SessionID: made.SessionID})
			if len(talk.Turns) != 2 || talk.Turns[1].Run.Final == nil {
				t.Errorf("%d turns", len(talk.Turns))
			}
		})
	}
}
