package runtime_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// A victim is this test binary again, as a process of its own that works in a folder until it is killed with
// SIGKILL. It writes a line when it is where the test wants it.
const victimEnv = "GATEHOUSE_RUNTIME_VICTIM"

func TestMain(m *testing.M) {
	if where := os.Getenv(victimEnv); where != "" {
		victim(where, os.Args[len(os.Args)-1])
		return
	}
	os.Exit(m.Run())
}

const (
	victimRun     = "01900000-0000-7000-8000-00000000000a"
	victimSession = "01900000-0000-7000-8000-00000000000b"
	victimText    = "hand:read hand:write" // the models of most places do what they do, whatever they read
	reached       = "reached"
)

// halfAnswer is a model that is still speaking.
func halfAnswer() (options, string) {
	return options{model: model{func(ctx context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		text("half an answer ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}}, "it-admin"
}

// deafAnswer is a model that is still speaking, and hears no stop.
func deafAnswer() (options, string) {
	return options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		text("half an answer ")
		select {}
	}}}, "it-admin"
}

// secondPosted is closed when a victim has its second message.
var secondPosted = make(chan struct{})

// steered is a model that is asked again once a second message is there.
func steered() (options, string) {
	m := model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Text == victimText && len(o.Messages()) == 2 {
			return calls(doit("a", "yellow", "x", ""))
		}
		text("half an answer ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}
	return options{model: m, began: func(context.Context, gate.Permit, json.RawMessage) { <-secondPosted }}, "it-admin"
}

// places are the moments at which a victim can be killed: what its model does, and where its tool stops.
var places = map[string]func() (options, string){
	"stream":         halfAnswer,
	"stream at once": halfAnswer,
	"tool": func() (options, string) {
		return options{model: once(doit("a", "green", "x", "hangs"))}, "it-admin"
	},
	"repeatable tool": func() (options, string) {
		return options{once: true, model: once(doit("a", "green", "x", "hangs"))}, "it-admin"
	},
	"parked": func() (options, string) {
		return options{model: once(doit("a", "red", "x", ""))}, "it-admin"
	},
	"parked child":  func() (options, string) { return options{model: chain()}, "dispatcher" },
	"parked secret": func() (options, string) { return options{model: once(secretly("red", ""))}, "it-admin" },
	"secret in tool": func() (options, string) {
		return options{model: once(secretly("green", "hangs"))}, "it-admin"
	},
	"secret not judged": func() (options, string) {
		return options{model: once(secretly("green", "")), with: func(d *gate.Deps) { d.Sets = neverSays{} }}, "it-admin"
	},
	"reading child":   func() (options, string) { return options{model: readsAndHangs()}, "dispatcher" },
	"child answered":  func() (options, string) { return options{model: obeys()}, "dispatcher" },
	"restating":       func() (options, string) { return options{model: boasts()}, "it-admin" },
	"queue follow-up": halfAnswer,
	"queue collect":   halfAnswer,
	"queue interrupt": deafAnswer,
	"queue steer":     steered,
	"second message": func() (options, string) {
		return options{model: model{func(ctx context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
			text("first ")
			<-ctx.Done()
			return llm.Reply{}, ctx.Err()
		}}}, "it-admin"
	},
}

// chain hands over, and the other one asks for something red.
func chain() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply:
			return say("ok: "+newest(o).Text, text)
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "do it"))
		}
		return calls(doit("a", "red", "x", ""))
	}}
}

func victim(place, dir string) {
	if at, ok := victimPoint(place); ok {
		subagentVictim(dir, at)
	}
	o, agent := places[place]()
	s, err := open(dir, o)
	if err != nil {
		panic(err)
	}
	if place == "child answered" {
		s.Gate.Listen(holdsAnswers{})
	}
	mode, queues := strings.CutPrefix(place, "queue ")
	if queues {
		if err := s.queue(wire.QueueMode(mode), 0); err != nil {
			panic(err)
		}
	}
	m := wire.ChatMessage{RunID: victimRun, SessionID: victimSession, Agent: agent, Text: victimText, From: owner}
	if _, err := s.rt.Post(context.Background(), m); err != nil {
		panic(err)
	}
	if queues {
		for !s.there(place) {
			time.Sleep(time.Millisecond)
		}
	}
	if place == "second message" || queues {
		m.RunID = victimRun[:35] + "c"
		if _, err := s.rt.Post(context.Background(), m); err != nil {
			panic(err)
		}
		close(secondPosted)
	}
	for !s.there(place) || queues && !s.isTaken(mode, m.RunID) {
		time.Sleep(time.Millisecond)
	}
	// What was shown is durable soon after; the reader of a run makes it so at once.
	if place != "stream at once" {
		if _, err := s.rt.Methods().Answer(context.Background(), wire.MethodRunGet, []byte(`{"run_id":"`+victimRun+`"}`)); err != nil {
			panic(err)
		}
	}
	fmt.Println(reached)
	select {}
}

// isTaken says whether what becomes of a second message has begun: it waits, or it is part of the first.
func (s *server) isTaken(mode, runID string) bool {
	want := wire.EventQueued
	if mode == string(wire.QueueSteer) {
		want = wire.EventFinal
	}
	for _, e := range s.watch.events() {
		if e.Root == runID && e.Event == want {
			return true
		}
	}
	return false
}

// there says whether the victim is where it shall die.
func (s *server) there(place string) bool {
	for _, e := range s.watch.events() {
		switch place {
		case "restating":
			if e.Event == wire.EventDelta && strings.Contains(string(e.Data), onSecond) {
				return true
			}
		case "child answered":
			if isAnswered(e) {
				return true
			}
		case "queue steer":
			if e.Event == wire.EventTool && strings.Contains(string(e.Data), `"running"`) {
				return true
			}
		case "stream", "stream at once", "second message", "reading child", "queue follow-up", "queue collect", "queue interrupt":
			if e.Event == wire.EventDelta {
				return true
			}
		case "secret not judged":
			if e.Event == wire.EventTool {
				return true
			}
		case "tool", "repeatable tool", "secret in tool":
			if all, err := s.ledger.Effects(); err == nil && len(all) == 1 {
				return true
			}
		default:
			if isApproval(wire.ApprovalPending)(e) {
				return true
			}
		}
	}
	return false
}

// killAt runs a victim to a place and kills it there.
func killAt(t *testing.T, place, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, dir)
	cmd.Env = append(os.Environ(), victimEnv+"="+place)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if strings.TrimSpace(line) != reached {
		t.Fatalf("the victim said %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the victim ended with %v", err)
	}
}

func victimDir(t *testing.T) string { return filepath.Join(t.TempDir(), "w") }

// A run that died in a model call is asked again, as a higher attempt, with numbers beyond all that were shown.
func TestRestart_inModelStream(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "stream", dir)
	s := startIn(t, dir, options{model: says("the whole answer")})
	e := s.watch.end(t, victimRun)
	if f := data[wire.FinalData](t, e); f.Text != "the whole answer" {
		t.Fatalf("%+v", f)
	}
	all := call[wire.EventsResult](t, s, wire.MethodRunEvents, wire.EventsParams{RunID: victimRun})
	attempts := map[int]string{}
	var before, after int64
	for _, e := range all.Items {
		if e.Event == wire.EventDelta {
			d := data[wire.DeltaData](t, e)
			attempts[d.Attempt] += d.Text
			if d.Step != 1 {
				t.Errorf("%+v", d)
			}
			if d.Attempt == 1 {
				before = e.N
			} else if after == 0 {
				after = e.N
			}
		}
	}
	if attempts[1] != "half an answer " || attempts[2] != "the whole answer" || after-before < 100_000 {
		t.Errorf("attempts %v, numbers %d and %d", attempts, before, after)
	}
	if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: victimRun}); len(run.Steps) != 1 {
		t.Errorf("%+v", run.Steps)
	}
}

// A run that died before anything of it but the message was durable may have been heard: its next life is another
// attempt, so that nobody puts the two answers together.
func TestRestart_beforeAnythingWasDurable(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "stream at once", dir)
	s := startIn(t, dir, options{model: says("the whole answer")})
	s.watch.end(t, victimRun)
	for _, e := range s.watch.events() {
		if e.Event == wire.EventDelta && data[wire.DeltaData](t, e).Attempt != 2 {
			t.Errorf("%s", e.Data)
		}
	}
}

// A run that died inside a tool which cannot be repeated goes on with an unknown outcome; the tool ran once.
func TestRestart_inTool(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "tool", dir)
	s := startIn(t, dir, options{model: once(doit("a", "green", "again", ""))})
	f := data[wire.FinalData](t, s.watch.end(t, victimRun))
	if !strings.Contains(f.Text, "[unknown] ") || !strings.Contains(f.Text, "not known whether") {
		t.Errorf("%q", f.Text)
	}
	if all, err := s.ledger.Effects(); err != nil || len(all) != 1 {
		t.Errorf("effects %v, %v", all, err)
	}
	types, err := s.Types(victimRun)
	if err != nil || !strings.Contains(fmt.Sprint(types), "call.unknown") {
		t.Errorf("%v, %v", types, err)
	}
	if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: victimRun}); run.Calls[0].State != wire.ToolUnknown {
		t.Errorf("%+v", run.Calls)
	}
}

// A tool that does nothing new for a call it knows is asked again under the same id.
func TestRestart_inRepeatableTool(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "repeatable tool", dir)
	s := startIn(t, dir, options{once: true, model: once(doit("a", "green", "again", ""))})
	if f := data[wire.FinalData](t, s.watch.end(t, victimRun)); f.Text != "The tool said: did x" {
		t.Errorf("%q", f.Text)
	}
	if all, err := s.ledger.Effects(); err != nil || len(all) != 1 {
		t.Errorf("effects %v, %v", all, err)
	}
}

func TestRestart_parked(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{"parked": "The tool said: did x", "parked child": "ok: ok: did x"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := victimDir(t)
			killAt(t, place, dir)
			o, _ := places[place]()
			s := startIn(t, dir, o)
			before := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: victimRun})
			if len(before.Asked) != 1 || before.Asked[0].State != wire.ApprovalPending {
				t.Fatalf("%+v", before.Asked)
			}
			if err := s.Decide(gatetest.Answer(*before.Asked[0], wire.AllowOnce)); err != nil {
				t.Fatal(err)
			}
			if f := data[wire.FinalData](t, s.watch.end(t, victimRun)); f.Text != want {
				t.Errorf("%q", f.Text)
			}
			if all, err := s.ledger.Effects(); err != nil || len(all) != 1 {
				t.Errorf("effects %v, %v", all, err)
			}
			after := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: victimRun})
			if len(after.Calls) != len(before.Calls) || len(after.Tree) != len(before.Tree) {
				t.Errorf("calls %d, then %d; runs %d, then %d", len(before.Calls), len(after.Calls), len(before.Tree), len(after.Tree))
			}
		})
	}
}

// Messages that waited are answered in their order.
func TestRestart_queued(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "second message", dir)
	var n atomic.Int32
	s := startIn(t, dir, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		return say(fmt.Sprint(n.Add(1)), text)
	}}})
	for i, run := range []string{victimRun, victimRun[:35] + "c"} {
		if f := data[wire.FinalData](t, s.watch.end(t, run)); f.Text != fmt.Sprint(i+1) {
			t.Errorf("message %d: %q", i, f.Text)
		}
	}
}

// A stop that was stored while its run was parked holds after a crash.
func TestRestart_stopStored(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	killAt(t, "parked", dir)
	w, err := gatetest.Open(dir, nowUTC, &gatetest.Fake{Name: "shell", Ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}})
	if err != nil {
		t.Fatal(err)
	}
	err = w.DB.Write(t.Context(), applying(func(tx tx) error {
		_, err := tx.Exec("INSERT INTO run_cancels (run_id, origin, at) VALUES (?, '{}', ?)", victimRun, nowUTC().UnixMicro())
		return err
	}))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, dir, options{model: says("never")})
	if d := data[wire.ErrorData](t, s.watch.end(t, victimRun)); d.Type != "stopped" {
		t.Errorf("%+v", d)
	}
	if all, err := s.ledger.Effects(); err != nil || len(all) != 0 {
		t.Errorf("effects %v, %v", all, err)
	}
}

// An orderly end leaves open runs as they stand, lets a running tool finish, and the next start goes on.
func TestClose_leavesRunsForTheNextStart(t *testing.T) {
	t.Parallel()
	dir := victimDir(t)
	begun, release := make(chan struct{}), make(chan struct{})
	s, err := open(dir, options{model: model{func(ctx context.Context, o llm.Outgoing, _ func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.ToolReply {
			<-ctx.Done() // the next step is left to the next life
			return llm.Reply{}, ctx.Err()
		}
		return calls(doit("a", "green", "x", ""))
	}}, began: func(context.Context, gate.Permit, json.RawMessage) {
		close(begun)
		<-release
	}})
	if err != nil {
		t.Fatal(err)
	}
	m := message(t, id(t), "it-admin", "Go")
	s.post(t, m)
	<-begun
	closed := make(chan error)
	go func() { closed <- s.close() }()
	close(release)
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	again := startIn(t, dir, options{model: once(doit("a", "green", "again", ""))})
	if f := data[wire.FinalData](t, again.watch.end(t, m.RunID)); f.Text != "The tool said: did x" {
		t.Errorf("%q", f.Text)
	}
	if all, err := again.ledger.Effects(); err != nil || len(all) != 1 {
		t.Errorf("effects %v, %v", all, err)
	}
}
