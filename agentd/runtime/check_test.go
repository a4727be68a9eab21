package runtime_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// An answer that claims what no receipt shows is restated once; then it goes out with its mark.
func TestCheck_restatesOnceThenMarks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		second string
		want   wire.Verdict
	}{
		"takes it back": {"I have not deleted anything.", wire.VerdictNothingRan},
		"insists":       {"I deleted the files, believe me.", wire.VerdictNotProven},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
				if asked.Add(1) == 1 {
					return say("I deleted the old files.", text)
				}
				if !strings.Contains(newest(o).Text, "- I deleted the old files.") {
					t.Errorf("the check says %q", newest(o).Text)
				}
				return say(c.second, text)
			}}})
			_, e := s.ask(t, "it-admin", "Delete them")
			f := data[wire.FinalData](t, e)
			if f.Text != c.second || f.Verdict != c.want || asked.Load() != 2 {
				t.Errorf("asked %d times: %+v", asked.Load(), f)
			}
		})
	}
}

// When the restatement fails, the first answer goes out with its mark: it is not lost.
func TestCheck_restatementFails(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := start(t, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		if asked.Add(1) == 1 {
			return say("I sent the letter.", text)
		}
		return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "for a test"}
	}}})
	_, e := s.ask(t, "it-admin", "Send it")
	if f := data[wire.FinalData](t, e); f.Text != "I sent the letter." || f.Verdict != wire.VerdictNotProven {
		t.Errorf("%+v", f)
	}
}

const (
	boast    = "I sent the letter."
	onSecond = "On second thoughts "
)

// boasts claims what no receipt shows, and has not taken it back yet.
func boasts() model {
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if !strings.Contains(newest(o).Text, boast) {
			return say(boast, text)
		}
		text(onSecond)
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}
}

// The mark is on the first answer also when the process died while it was restated, and the next one cannot ask.
func TestRestart_restatementFails(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "restating", dir)
	s := startIn(t, dir, options{model: model{func(context.Context, llm.Outgoing, func(string)) (llm.Reply, error) {
		return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "for a test"}
	}}})
	if f := data[wire.FinalData](t, s.watch.end(t, victimRun)); f.Text != boast || f.Verdict != wire.VerdictNotProven {
		t.Errorf("%+v", f)
	}
}

// The receipt of another run proves nothing.
func TestCheck_otherRunsReceipt(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if o.Messages()[len(o.Messages())-1].Text == "do" {
			return calls(doit("a", "green", "x", ""))
		}
		return say("I ran the command.", text)
	}}})
	session := id(t)
	for _, c := range []struct {
		text string
		want wire.Verdict
	}{{"do", wire.VerdictProven}, {"and now?", wire.VerdictNotProven}} {
		m := message(t, session, "it-admin", c.text)
		s.post(t, m)
		if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Verdict != c.want {
			t.Errorf("%s: %+v", c.text, f)
		}
	}
}

func TestCheck_failedReceiptContradicts(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.User && !strings.Contains(newest(o).Text, "Answer check") {
			return calls(doit("a", "green", "x", "fails"))
		}
		return say("I ran it.", text)
	}}})
	_, e := s.ask(t, "it-admin", "Run it")
	if f := data[wire.FinalData](t, e); f.Verdict != wire.VerdictContradicted {
		t.Errorf("%+v", f)
	}
}
