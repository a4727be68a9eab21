package runtime_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/llm"
)

// What each agent did is counted from the records: what it changed stands by itself, what it read does not, and why it failed does.
func TestWorkSince(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: parts{first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply:
			return say("ready", text)
		case askedOf(o) == "fail":
			return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "for a test"}
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "change"))
		}
		return calls(doit("a", "yellow", "x", ""), doit("b", "green", "y", ""))
	}}.model()})
	s.atLevel3(t)
	before := time.Now()
	s.ask(t, "dispatcher", "change it")
	s.ask(t, "secretary", "fail")
	all, outside, err := s.rt.WorkSince(t.Context(), before)
	if err != nil || outside || len(all) != 3 {
		t.Fatalf("%+v, %v, %v", all, outside, err)
	}
	if d := all[0]; d.Agent != "dispatcher" || d.Done != 1 || len(d.Did) != 0 {
		t.Errorf("%+v", d)
	}
	if d := all[1]; d.Agent != "it-admin" || d.Done != 1 || len(d.Did) != 1 {
		t.Errorf("%+v", d)
	}
	if d := all[2]; d.Agent != "secretary" || d.Failed != 1 || !slices.Equal(d.Troubles, []string{"The model cannot be reached"}) {
		t.Errorf("%+v", d)
	}
	if all, _, err := s.rt.WorkSince(t.Context(), time.Now().Add(time.Hour)); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// What began before the span and is still open counts as at work, with what it has read.
func TestWorkSince_open(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{parts{first: func(o llm.Outgoing, _ func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.ToolReply {
			return calls(doit("w", "red", "x", ""))
		}
		return calls(doit("r", "green", "mail", "outside"))
	}}.model().answer}})
	s.post(t, message(t, id(t), "it-admin", "Read the mail"))
	s.parked(t)
	all, outside, err := s.rt.WorkSince(t.Context(), time.Now().Add(time.Hour))
	if err != nil || !outside || len(all) != 1 || all[0].AtWork != 1 {
		t.Errorf("%+v, %v, %v", all, outside, err)
	}
}

// A call that is named brings along what its run has read, whenever that run was.
func TestWorkSince_calls(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: parts{first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply:
			return say("ready", text)
		case askedOf(o) == "read":
			return calls(doit("r", "green", "mail", "outside"))
		}
		return calls(doit("w", "green", "x", ""))
	}}.model()})
	before := time.Now()
	old, _ := s.ask(t, "it-admin", "read")
	s.ask(t, "it-admin", "work")
	err := s.DB.Write(t.Context(), applying(func(tx tx) error {
		_, err := tx.ExecContext(t.Context(), "UPDATE runs SET created_at = 1, ended_at = 2 WHERE id = ?", old.RunID)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(t.Context(), "UPDATE run_calls SET tier = 'yellow' WHERE run_id = ?", old.RunID)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	all, outside, err := s.rt.WorkSince(t.Context(), before)
	if err != nil || !outside || len(all) != 1 || len(all[0].Did) != 1 {
		t.Errorf("%+v, %v, %v", all, outside, err)
	}
}
