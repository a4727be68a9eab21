package tooltest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/wire"
)

// Dir is a data folder and a state directory, apart.
type Dir struct {
	Path        string // holds both
	Data, State string
	Root        *dataroot.Root
}

// NewDir makes both folders for one test.
func NewDir(t testing.TB) Dir {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := Dir{Path: base, Data: filepath.Join(base, "data"), State: filepath.Join(base, "state")}
	for _, p := range []string{d.Data, d.State} {
		if err := os.Mkdir(p, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if d.Root, err = dataroot.Open(d.Data, d.State); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Root.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Write puts files into the data folder.
func (d Dir) Write(t testing.TB, files map[string]string) {
	t.Helper()
	for name, content := range files {
		p := filepath.Join(d.Data, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Read is the content of a file in the data folder.
func (d Dir) Read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.Data, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Has says whether a name exists in the data folder.
func (d Dir) Has(name string) bool {
	_, err := os.Lstat(filepath.Join(d.Data, name))
	return err == nil
}

// Gate is a real gate with some tools. Calls go at autonomy level 3 unless said otherwise.
type Gate struct {
	*gatetest.World
	Level int
	Taint []policy.Source // of every call
}

// NewGate makes a gate in the directory of a test.
func NewGate(t testing.TB, d Dir, tools ...gate.Tool) *Gate {
	t.Helper()
	storetest.Seed(t, d.State)
	w, err := gatetest.Open(d.Path, time.Now, tools...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return &Gate{World: w, Level: 3}
}

// Call makes a call of a tool by one agent in a run of its own.
func (g *Gate) Call(t testing.TB, tool string, args any) gate.Call {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	run := id(t)
	return gate.Call{
		ID: id(t), RunID: run, RootRunID: run, SessionID: id(t), Agent: "it-admin", Tool: tool, Args: b, Level: g.Level, Taint: g.Taint,
	}
}

// Do takes a call through the gate. When a person is asked, the owner allows it once.
func (g *Gate) Do(t testing.TB, tool string, args any) gate.Outcome {
	t.Helper()
	a, o := g.begin(t, tool, args)
	if a != nil {
		return g.Answer(t, a, wire.AllowOnce)
	}
	return o
}

// Asked is a call that waits for a person.
type Asked struct {
	Approval wire.Approval
	parked   chan bool
	done     chan gate.Outcome
}

// AskedAgain is the state of an answered call whose answer was no longer enough: the world had changed.
const AskedAgain wire.ToolState = "asked again"

// Ask starts a call and waits until a person is asked.
func (g *Gate) Ask(t testing.TB, tool string, args any) *Asked {
	t.Helper()
	a, o := g.begin(t, tool, args)
	if a == nil {
		t.Fatalf("nobody was asked: %+v", o)
	}
	return a
}

// begin makes a call and waits until it has ended or a person is asked.
func (g *Gate) begin(t testing.TB, tool string, args any) (*Asked, gate.Outcome) {
	t.Helper()
	c := g.Call(t, tool, args)
	a := &Asked{parked: make(chan bool, 16), done: make(chan gate.Outcome, 1)}
	go func() {
		o, err := g.Gate.Do(t.Context(), c, func(p bool) { a.parked <- p })
		if err != nil {
			o.Text = err.Error()
		}
		a.done <- o
	}()
	select {
	case <-a.parked:
	case o := <-a.done:
		return nil, o
	}
	list, err := g.Pending(c.RunID)
	if err != nil || len(list) != 1 {
		t.Fatalf("pending: %v, %v", list, err)
	}
	a.Approval = list[0]
	return a, gate.Outcome{}
}

// Answer decides and waits for the end of the call, or until a person is asked again.
func (g *Gate) Answer(t testing.TB, a *Asked, v wire.Verb) gate.Outcome {
	t.Helper()
	if err := g.Decide(gatetest.Answer(a.Approval, v)); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case o := <-a.done:
			return o
		case waits := <-a.parked:
			if waits {
				return gate.Outcome{State: AskedAgain}
			}
		}
	}
}

func id(t testing.TB) string {
	t.Helper()
	u, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return u.String()
}
