package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

func TestStop_inModelStream(t *testing.T) {
	t.Parallel()
	noticed := make(chan struct{})
	s := start(t, options{model: model{func(ctx context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		text("Once upon ")
		<-ctx.Done()
		close(noticed)
		return llm.Reply{}, ctx.Err()
	}}})
	m := message(t, id(t), "it-admin", "Talk")
	s.post(t, m)
	s.watch.until(t, "a piece of text", func(e wire.RunEvent) bool { return e.Event == wire.EventDelta })
	ack, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner})
	if err != nil || ack.State != wire.RunStopped {
		t.Fatalf("%+v, %v", ack, err)
	}
	<-noticed
	d := data[wire.ErrorData](t, s.watch.end(t, m.RunID))
	if d.Type != "stopped" || d.Text != "Once upon " || !strings.Contains(d.Detail, "owner@example.com") {
		t.Errorf("%+v", d)
	}
	rc := call[wire.ReceiptsResult](t, s, wire.MethodRunReceipts, wire.RunParams{RunID: m.RunID})
	if n := len(rc.Items); n != 1 || rc.Items[0].Type != "run.stopped" || !strings.Contains(string(rc.Items[0].Body), "owner@example.com") {
		t.Errorf("%+v", rc.Items)
	}
	again, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner})
	if err != nil || again.State != wire.RunStopped {
		t.Errorf("a second stop: %+v, %v", again, err)
	}
}

// A tool is told to stop.
func TestStop_inTool(t *testing.T) {
	t.Parallel()
	begun, noticed := make(chan struct{}), make(chan struct{})
	s := start(t, options{model: once(doit("a", "green", "x", "")), began: func(ctx context.Context, _ gate.Permit, _ json.RawMessage) {
		close(begun)
		<-ctx.Done()
		close(noticed)
	}})
	m := message(t, id(t), "it-admin", "Do it")
	s.post(t, m)
	<-begun
	if _, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil {
		t.Fatal(err)
	}
	<-noticed
	if d := data[wire.ErrorData](t, s.watch.end(t, m.RunID)); d.Type != "stopped" {
		t.Errorf("%+v", d)
	}
}

// A tool that does not listen cannot hold up the stop of its run: it goes on until the end of the test.
func TestStop_deafTool(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	s := start(t, options{model: once(doit("a", "green", "x", "")), began: func(context.Context, gate.Permit, json.RawMessage) {
		close(begun)
		<-release
	}})
	t.Cleanup(func() { close(release) })
	m := message(t, id(t), "it-admin", "Do it")
	s.post(t, m)
	<-begun
	if _, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil {
		t.Fatal(err)
	}
}

func TestStop_reachesDelegatedRuns(t *testing.T) {
	t.Parallel()
	begun, noticed := make(chan struct{}), make(chan struct{})
	s := start(t, options{
		began: func(ctx context.Context, _ gate.Permit, _ json.RawMessage) {
			close(begun)
			<-ctx.Done()
			close(noticed)
		},
		model: model{func(_ context.Context, o llm.Outgoing, _ func(string)) (llm.Reply, error) {
			if o.Tools()[0].Name == "agent_dispatch" {
				return calls(hand("h", "it-admin", "do it"))
			}
			return calls(doit("a", "green", "x", ""))
		}},
	})
	m := message(t, id(t), "dispatcher", "Do it")
	s.post(t, m)
	<-begun
	if _, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil {
		t.Fatal(err)
	}
	<-noticed
	if e := s.watch.end(t, m.RunID); data[wire.ErrorData](t, e).Type != "stopped" {
		t.Errorf("%s", e.Data)
	}
}

// A stop by the id of a delegated run stops the whole tree.
func TestStop_byChild(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if o.Tools()[0].Name == "agent_dispatch" {
			return calls(hand("h", "it-admin", "do it"))
		}
		text("I am working on it ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}})
	m := message(t, id(t), "dispatcher", "Do it")
	s.post(t, m)
	e := s.watch.until(t, "the delegated run", func(e wire.RunEvent) bool {
		return e.Event == wire.EventDelta && data[wire.DeltaData](t, e).Agent == "it-admin"
	})
	if ack, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: data[wire.DeltaData](t, e).RunID, By: owner}); err != nil ||
		ack.RunID != m.RunID || ack.State != wire.RunStopped {
		t.Errorf("%+v, %v", ack, err)
	}
}

// TestStop_byEndedChild: the stop of a delegated run that came too late for it still stops the run that delegated.
func TestStop_byEndedChild(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch all := o.Messages(); {
		case o.Tools()[0].Name != "agent_dispatch":
			text("Done.")
			return llm.Reply{Text: "Done."}, nil
		case all[len(all)-1].Role == llm.User:
			return calls(hand("h", "it-admin", "do it"))
		}
		text("I think about the answer ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}})
	m := message(t, id(t), "dispatcher", "Do it")
	s.post(t, m)
	var child string
	s.watch.until(t, "the answer of the root", func(e wire.RunEvent) bool {
		if e.Event != wire.EventDelta {
			return false
		}
		d := data[wire.DeltaData](t, e)
		if d.Agent == "it-admin" {
			child = d.RunID
		}
		return d.Agent == "dispatcher"
	})
	c := wire.RunCancel{RunID: child, By: owner}
	if err := s.DB.Write(t.Context(), applying(func(tx tx) error { return s.rt.AcceptCancel(t.Context(), tx, c) })); err != nil {
		t.Fatal(err)
	}
	s.watch.until(t, "the end of the root", func(e wire.RunEvent) bool { return e.Event == wire.EventFinal || e.Event == wire.EventError })
}

func TestStop_withdrawsApproval(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: once(doit("a", "red", "x", ""))})
	m := message(t, id(t), "it-admin", "Do it")
	s.post(t, m)
	a := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
	s.parked(t)
	if _, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil {
		t.Fatal(err)
	}
	now, err := s.Gate.Approval(t.Context(), a.ID)
	if err != nil || now.State != wire.ApprovalWithdrawn {
		t.Errorf("%+v, %v", now, err)
	}
	if all, err := s.ledger.Effects(); err != nil || len(all) != 0 {
		t.Errorf("effects %v, %v", all, err)
	}
}

func isApproval(s wire.ApprovalState) func(wire.RunEvent) bool {
	return func(e wire.RunEvent) bool {
		var a wire.ApprovalData
		return e.Event == wire.EventApproval && json.Unmarshal(e.Data, &a) == nil && a.State == s
	}
}

// A message that still waits for its turn is stopped at once, and the one before it goes on.
func TestStop_queued(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := start(t, options{model: model{func(ctx context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		select {
		case <-release:
			return say("ok", text)
		case <-ctx.Done():
			return llm.Reply{}, ctx.Err()
		}
	}}})
	session := id(t)
	first, second := message(t, session, "it-admin", "one"), message(t, session, "it-admin", "two")
	s.post(t, first)
	s.post(t, second)
	if ack, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: second.RunID, By: owner}); err != nil || ack.State != wire.RunStopped {
		t.Fatalf("%+v, %v", ack, err)
	}
	close(release)
	if e := s.watch.end(t, first.RunID); e.Event != wire.EventFinal {
		t.Errorf("%s", e.Data)
	}
}

// A stop that reaches the server before its message holds.
func TestStop_beforeTheMessage(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("never")})
	m := message(t, id(t), "it-admin", "Hello")
	c := wire.RunCancel{RunID: m.RunID, By: owner}
	if err := s.DB.Write(t.Context(), applying(func(tx tx) error { return s.rt.AcceptCancel(t.Context(), tx, c) })); err != nil {
		t.Fatal(err)
	}
	s.accept(t, m)
	if d := data[wire.ErrorData](t, s.watch.end(t, m.RunID)); d.Type != "stopped" {
		t.Errorf("%+v", d)
	}
}

// A stop holds that comes after its message was stored and before the run is at work, however it comes.
func TestStop_beforeTheStart(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("never")})
	for name, stop := range map[string]func(wire.RunCancel) error{
		"question": func(c wire.RunCancel) error {
			_, err := s.rt.Cancel(t.Context(), c)
			return err
		},
		"frame": func(c wire.RunCancel) error {
			return s.DB.Write(t.Context(), applying(func(tx tx) error { return s.rt.AcceptCancel(t.Context(), tx, c) }))
		},
	} {
		m := message(t, id(t), "it-admin", "Hello")
		var stopped error
		err := s.DB.Write(t.Context(), applying(func(tx tx) error {
			s.DB.OnCommit(tx, func() { stopped = stop(wire.RunCancel{RunID: m.RunID, By: owner}) })
			return s.rt.Accept(t.Context(), tx, m)
		}))
		if err := errors.Join(err, stopped); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e := s.watch.end(t, m.RunID); e.Event != wire.EventError || data[wire.ErrorData](t, e).Type != "stopped" {
			t.Errorf("%s: %s", name, e.Data)
		}
	}
}

func TestStop_unknownRun(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	if _, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: id(t), By: owner}); err == nil || !strings.Contains(err.Error(), "not_found") {
		t.Errorf("%v", err)
	}
}

// Stopping from many places at once is one stop.
func TestStop_manyTimes(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(ctx context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		text("One moment, please ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}})
	m := message(t, id(t), "it-admin", "Talk")
	s.post(t, m)
	s.watch.until(t, "a piece of text", func(e wire.RunEvent) bool { return e.Event == wire.EventDelta })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if ack, err := s.rt.Cancel(context.Background(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil || ack.State != wire.RunStopped {
				t.Errorf("%+v, %v", ack, err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, e := range s.watch.events() {
		if e.Event == wire.EventError {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d ends", n)
	}
}
