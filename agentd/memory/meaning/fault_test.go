package meaning_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/llm"
)

// TestKeeper_faults: however an endpoint fails, notes are found by words, it is said that and why the search by meaning pauses, and
// it goes on by itself.
func TestKeeper_faults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(f, func(t *testing.T) {
			t.Parallel()
			w := open(t, notes...)
			w.known(len(notes))
			if f == "hangs" {
				w.close()
				w.long = time.Second
				w.start(patient)
				w.known(len(notes))
			}
			w.end.fault.Store(&f)
			w.write("2026-03-11.md", "The lift is slow.")
			w.refresh()
			w.until("it pauses", func() bool { down, why := w.paused(); return down && why != "" })
			since, err := w.keeper.State(t.Context())
			if err != nil || time.Since(since.Since) > time.Minute {
				t.Errorf("%+v, %v", since, err)
			}
			if got := w.first("baker"); got != notes[2] {
				t.Errorf("by its word %q is found", got)
			}
			if got := w.first("bakre"); got != notes[2] {
				t.Errorf("misspelt %q is found", got)
			}
			well := ""
			w.end.fault.Store(&well)
			w.known(len(notes) + 1)
			w.until("it goes on", func() bool { down, _ := w.paused(); return !down })
			if got := w.first("outstanding bill"); got != notes[0] {
				t.Errorf("afterwards %q is found", got)
			}
		})
	}
}

// TestKeeper_question: a model that fails at a question is left alone by the next ones; one that is slow now and then is not.
func TestKeeper_question(t *testing.T) {
	t.Parallel()
	w := open(t, notes...)
	w.known(len(notes))
	w.close()
	w.start(soon)
	w.known(len(notes))
	hang := "hangs"
	w.end.fault.Store(&hang)
	for _, question := range []string{"the baker", "a baker", "our baker"} {
		if down, why := w.paused(); down {
			t.Fatalf("it pauses before the third question: %s", why)
		}
		if got := w.first(question); got != notes[2] {
			t.Errorf("by its word %q is found", got)
		}
	}
	if down, _ := w.paused(); !down {
		t.Error("after three questions without an answer it does not pause")
	}
	well := ""
	w.end.fault.Store(&well)
	w.until("it goes on", func() bool { down, _ := w.paused(); return !down })
}

// TestKeeper_declined: a text that the model does not take, and a number of texts that it does not take at once, keep no other note
// from being known.
func TestKeeper_declined(t *testing.T) {
	t.Parallel()
	many := append([]string{"This text is poison."}, notes...)
	for i := range 40 {
		many = append(many, "Note number "+strings.Repeat("x", i+1)+".")
	}
	w := open(t)
	w.end.most.Store(10)
	w.write("2026-03-10.md", many...)
	w.refresh()
	w.known(len(many) - 1)
	if down, why := w.paused(); down {
		t.Errorf("it pauses: %s", why)
	}
}

// TestKeeper_away: while this server's own way to models is down, nothing pauses.
func TestKeeper_away(t *testing.T) {
	t.Parallel()
	w := open(t, notes...)
	w.known(len(notes))
	w.away.Store(true)
	w.write("2026-03-11.md", "The lift is slow.")
	w.refresh()
	asked := w.tries.Load()
	w.until("it was tried again", func() bool { return w.tries.Load() > asked+2 })
	if got := w.first("outstanding bill"); got != "" {
		t.Errorf("found %q", got)
	}
	if down, why := w.paused(); down {
		t.Errorf("it pauses: %s", why)
	}
	w.away.Store(false)
	w.known(len(notes) + 1)
}

// way is the way to an endpoint, which may be down.
type way struct{ w *world }

func (p way) Embed(ctx context.Context, t llm.Texts) (llm.Vectors, error) {
	p.w.tries.Add(1)
	if p.w.away.Load() {
		return llm.Vectors{}, &llm.Error{Kind: llm.Away}
	}
	return p.w.by.Embed(ctx, t)
}

// childDir and childURL tell a process that is to be killed what it works with.
const childDir, childURL = "MEANING_TEST_DIR", "MEANING_TEST_URL"

// TestChild is the process that TestKeeper_killed kills.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("not asked for")
	}
	w := &world{t: t, dir: dir, url: os.Getenv(childURL)}
	w.use("toy")
	w.start(patient)
	w.known(-1) // until it is killed
}

// TestKeeper_killed kills the process while the model has a second batch: what the first one brought is there, and of the second
// nothing is lost.
func TestKeeper_killed(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.known(1) // the empty line
	w.close()
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("The box %d holds %d screws.", i, 100+i))
	}
	w.write("2026-03-10.md", many...)
	w.end.stuck.Store(w.end.answers.Load() + 1)
	child := exec.Command(os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childDir+"="+w.dir, childURL+"="+w.end.srv.URL)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	w.until("the second batch is on its way", func() bool { return w.end.held.Load() > 0 })
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	asked := len(w.end.texts())
	w.end.stuck.Store(0)
	w.start(patient)
	w.known(len(many))
	if again := len(w.end.texts()) - asked; again != len(many)-asked+1 {
		t.Errorf("%d of %d texts were asked again, after %d", again, len(many), asked)
	}
}
