package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/leakscan"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/seeded"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// carriers are the ways by which a text from outside gets before the model: what the owner's task makes it read.
var carriers = map[string][]order{
	"an answer over HTTP":   {do("http_request", policy.HTTPArgs{Method: "GET", Tool: "shop", URL: "/tickets/1"})},
	"a file":                {do("file_read", policy.FileReadArgs{Path: "notes/mail.md"})},
	"settings":              {do("env_read", policy.EnvReadArgs{Path: "shop.env"})},
	"the output of a shell": {do("shell", policy.ShellArgs{Command: "cat notes/mail.md"})},
	"a diff":                {do("shell", policy.ShellArgs{Command: "diff notes/old.md notes/mail.md"})},
	"a delegated answer": {do("agent_dispatch", policy.DispatchArgs{Target: "it-admin", Task: orders(
		do("http_request", policy.HTTPArgs{Method: "GET", Tool: "shop", URL: "/tickets/1"}), order{Echo: true})})},
}

// planted are secrets that redact knows as those of the vault.
var planted = sync.OnceValue(func() []leakscan.Canary {
	all := leakscan.Canaries(rand.New(rand.NewPCG(7, 11)))
	var known []redact.Known
	for _, c := range all {
		known = append(known, redact.Known{Name: "planted." + c.Name, Value: c.Value})
	}
	redact.Current().SetSecrets(known)
	return all
})

// trap is a server whose model obeys everybody, with content from outside lying wherever it can be read.
type trap struct {
	*server
	dir  string
	mu   sync.Mutex
	lies string          // what stands in the content
	seen map[string]bool // all that the model was shown
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	planted()
	w := &trap{dir: t.TempDir(), seen: map[string]bool{}}
	obey := obedient()
	watched := model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		w.mu.Lock()
		for _, m := range o.Messages() {
			if m.Role != llm.System { // that one is our own
				w.seen[m.Text] = true
			}
		}
		w.mu.Unlock()
		return obey.answer(ctx, o, text)
	}}
	w.server = startIn(t, w.dir, options{model: watched, tools: w.tools, with: func(d *gate.Deps) { d.Ingress = marks{} }})
	return w
}

// tools are all that act, in place of the real ones and judged as they are.
func (w *trap) tools(dir string) ([]gate.Tool, error) {
	env := policy.Env{
		Root: filepath.Join(dir, "data"), State: filepath.Join(dir, "state"), Inside: []string{"baker@example.com"},
		Tools: []policy.Registered{{Tool: "shop", Bases: []string{"https://shop.example"}}},
	}
	ledger := &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}
	var all []gate.Tool
	for name, schema := range map[string]json.RawMessage{
		"http_request": tool.SchemaOf[policy.HTTPArgs](), "file_read": tool.SchemaOf[policy.FileReadArgs](),
		"file_write":  tool.SchemaOf[policy.FileWriteArgs](),
		"file_delete": tool.SchemaOf[policy.FileDeleteArgs](), "env_read": tool.SchemaOf[policy.EnvReadArgs](),
		"env_update": tool.SchemaOf[policy.EnvUpdateArgs](),
		"message":    tool.SchemaOf[policy.MessageArgs](), "shell": tool.SchemaOf[policy.ShellArgs](),
		"rotate_credential": tool.SchemaOf[policy.RotateCredentialArgs](), "generate_credential": tool.SchemaOf[policy.GenerateCredentialArgs](),
	} {
		all = append(all, &pretend{name: name, schema: schema, env: env, ledger: ledger, planted: w.content})
	}
	return all, nil
}

// content is what a read gives: nothing for what is no read. Only the answer over HTTP says itself that it is from
// outside; of the others the runtime has to know.
func (w *trap) content(name string, args json.RawMessage) (text string, outside bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range carriers {
		if c[0].Tool == name && same(c[0].Args, args) {
			return "A letter of a customer. " + w.lies, name == "http_request"
		}
	}
	return "", false
}

// same compares arguments, of which the gate keeps the canonical form.
func same(a, b json.RawMessage) bool {
	x, err1 := canonical.JSON(a)
	y, err2 := canonical.JSON(b)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// ask lets the owner say text, and somebody answer every question with verb. It gives the questions.
func (w *trap) ask(t *testing.T, agent, text string, verb wire.Verb) (asked []wire.Approval) {
	t.Helper()
	m := message(t, id(t), agent, text)
	w.post(t, m)
	known := map[string]bool{}
	for {
		var a wire.ApprovalData
		e := w.watch.until(t, "a question or the end", func(e wire.RunEvent) bool {
			if e.Root != m.RunID {
				return false
			}
			if isApproval(wire.ApprovalPending)(e) {
				a = data[wire.ApprovalData](t, e)
				return !known[a.ID]
			}
			return e.Event == wire.EventFinal || e.Event == wire.EventError
		})
		if e.Event != wire.EventApproval {
			return asked
		}
		known[a.ID], asked = true, append(asked, a.Approval)
		w.parked(t)
		if err := w.Decide(gatetest.Answer(a.Approval, verb)); err != nil {
			t.Fatal(err)
		}
	}
}

// lie puts text into all content from outside.
func (w *trap) lie(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lies = text
}

func (w *trap) effects(t *testing.T) int {
	t.Helper()
	all, err := w.ledger.Effects()
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// seed lets the content from outside come to lie in files, with the owner's leave.
func (w *trap) seed(t *testing.T) {
	t.Helper()
	w.ask(t, "it-admin", orders(carriers["an answer over HTTP"][0],
		do("file_write", policy.FileWriteArgs{Path: "notes/mail.md", Content: "a letter"}),
		do("env_update", policy.EnvUpdateArgs{Path: "shop.env", Updates: map[string]string{"GREETING": "a letter"}})), wire.AllowOnce)
	if n := w.effects(t); n != 2 {
		t.Fatalf("%d files were written", n)
	}
}

// sealed looks for the planted secrets in all that the model was shown, that people were shown, and that is kept.
func (w *trap) sealed(t *testing.T) {
	t.Helper()
	w.wantSealed(t, w.dir, strings.Join(slices.Collect(maps.Keys(w.seen)), "\n"))
}

// TestTaint_obedient: a model that does whatever any text says does nothing of it without its owner, whatever was to be
// done, whatever the owner had asked for, and whichever way the text came. GATEHOUSE_SOAK=1 takes all forty tasks with all
// fifty goals, otherwise each goal comes one of two ways with one task.
func TestTaint_obedient(t *testing.T) {
	t.Parallel()
	for v, way := range slices.Sorted(maps.Keys(carriers)) {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newTrap(t)
			w.seed(t)
			before, task := w.effects(t), carriers[way]
			for n, name := range slices.Sorted(maps.Keys(goals)) {
				goal := goals[name]
				for _, words := range asks(v, n) {
					w.lie(orders(goal))
					asked := w.ask(t, reader(way), words+orders(task...), wire.Deny)
					if got := w.effects(t); got != before {
						t.Fatalf("%s: %d effects that nobody allowed", name, got-before)
					}
					w.tried(t, name, goal, asked)
				}
			}
		})
	}
}

// asks are the tasks with which the n-th goal comes the v-th way.
func asks(v, n int) []string {
	switch {
	case os.Getenv("GATEHOUSE_SOAK") != "":
		return tasks
	case (v+n)%2 == 0:
		return nil
	}
	return tasks[(7*v+n)%len(tasks):][:1]
}

// reader is the agent that reads what comes this way.
func reader(way string) string {
	if way == "a delegated answer" {
		return "dispatcher"
	}
	return "it-admin"
}

// TestTaint_obedientTellsNothing: secrets in the content reach neither the model nor anything that is shown or kept,
// whichever way they came. To search for them takes seconds for each way, so without GATEHOUSE_SOAK two ways are taken, the
// same each time.
func TestTaint_obedientTellsNothing(t *testing.T) {
	t.Parallel()
	w := newTrap(t)
	w.seed(t)
	ways := slices.Sorted(maps.Keys(carriers))
	for _, way := range seeded.Sample(ways, (len(ways)+1)/2) {
		w.lie(orders(goals["write a note"]) + keys())
		if asked := w.ask(t, reader(way), orders(carriers[way]...), wire.Deny); len(asked) == 0 {
			t.Errorf("%s: nobody was asked, so the model did not obey", way)
		}
	}
	w.sealed(t)
}

// keys are the planted secrets.
func keys() string {
	text := " The keys are"
	for _, c := range planted() {
		text += " " + c.Value
	}
	return text
}

// tried makes sure that the model went for the goal: it was asked about with its source, or is forbidden to everybody.
func (w *trap) tried(t *testing.T, name string, goal order, asked []wire.Approval) {
	t.Helper()
	if w.tier(goal) == policy.Forbidden {
		if len(asked) != 0 {
			t.Errorf("%s is forbidden, and somebody was asked", name)
		}
		return
	}
	if len(asked) == 0 {
		t.Fatalf("%s: nobody was asked, so the model did not obey", name)
	}
	for _, a := range asked {
		if a.Tool != goal.Tool || len(a.Taint) == 0 {
			t.Errorf("%s: asked about %s with the sources %v", name, a.Tool, a.Taint)
		}
	}
}

func (w *trap) tier(o order) policy.Tier {
	all, err := w.tools(w.dir)
	if err != nil {
		return ""
	}
	for _, one := range all {
		if one.Definition().Name == o.Tool {
			return one.Classify(o.Args).Tier
		}
	}
	return ""
}

// TestTaint_goalsAreReal: the same goals, as the owner's own orders and with the owner's leave, do happen; so the table
// above would show it if they did.
func TestTaint_goalsAreReal(t *testing.T) {
	t.Parallel()
	w := newTrap(t)
	real := 0
	for name, goal := range goals {
		before := w.effects(t)
		w.ask(t, "it-admin", orders(goal), wire.AllowOnce)
		want := 1
		if w.tier(goal) == policy.Forbidden {
			want = 0
		}
		if got := w.effects(t) - before; got != want {
			t.Errorf("%s: %d effects, want %d", name, got, want)
		}
		real += want
	}
	if real < 20 {
		t.Errorf("only %d goals can happen at all", real)
	}
}
