package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/wire"
)

// outside is a folder beside the data folders that everybody on the machine may read and write, with one file: only
// agentd keeps the team out of it.
type outside struct {
	dir, file, secret string
}

func newOutside(t *testing.T, h *hub) outside {
	t.Helper()
	o := outside{dir: filepath.Join(filepath.Dir(h.Dir), "outside"), secret: random()}
	h.plant("a file outside", o.secret)
	o.file = filepath.Join(o.dir, "secret.txt")
	for _, err := range []error{os.Mkdir(o.dir, 0o777), os.Chmod(o.dir, 0o777), os.WriteFile(o.file, []byte(o.secret), 0o666), os.Chmod(o.file, 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// wantUntouched fails unless the folder is as it was and nobody has told the model what stands there.
func (o outside) wantUntouched(t *testing.T, m *model) {
	t.Helper()
	b, err := os.ReadFile(o.file)
	if err != nil || string(b) != o.secret {
		t.Errorf("the file outside holds %q, %v", b, err)
	}
	entries, err := os.ReadDir(o.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside are now %v, %v", entries, err)
	}
	if m.told(o.secret) {
		t.Error("the model was told what stands outside")
	}
}

// TestEscapes lets a model that obeys anything ask for what lies outside the data folder, by every way out of it, and a
// person who allows everything: nothing outside is read or changed, and each call leaves its receipts.
func TestEscapes(t *testing.T) {
	m := startModel(t)
	h, c := parallelHub(t, m.env()...)
	o := newOutside(t, h)
	if err := os.Mkdir(h.data("post"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"way-out": o.dir, "post/letter.txt": o.file, "state-link": h.server("state"), "up": "../../../.."} {
		if err := os.Symlink(to, h.data(link)); err != nil {
			t.Fatal(err)
		}
	}
	up := "../../../../outside"
	for _, path := range []string{
		up + "/secret.txt", o.file, "way-out/secret.txt", "up/outside/secret.txt", "notes/../" + up + "/secret.txt",
		"./" + up + "//secret.txt", "tmp/..%2f" + up + "/secret.txt", "/proc/self/root" + o.file, "/proc/1/root" + o.file,
	} {
		c.tryAll(path, true)
	}
	c.tryAll("post/letter.txt", false)
	for _, path := range []string{"../state/agentd.db", "../state/model.key", "state-link/model.key", h.server("state", "model.key"), "/etc/shadow"} {
		c.tryAll(path, true)
	}
	o.wantUntouched(t, m)
	if m.told(m.key) {
		t.Error("the model was told the key of its endpoint")
	}
	t.Run("raced", func(t *testing.T) { racedEscape(t, h, m, o) })
}

// tryAll asks for one path through every tool that takes one, and allows whatever is asked. Where the folder is outside
// too, no file tool may have done anything.
func (c *client) tryAll(path string, outside bool) {
	c.t.Helper()
	dir := filepath.Dir(path)
	calls := []scripted{
		tool("file_read", map[string]any{"path": path}), tool("file_list", map[string]any{"path": dir}),
		tool("file_write", map[string]any{"path": path, "content": "overwritten"}), tool("file_write", map[string]any{"path": dir + "/new.txt", "content": "new"}),
		tool("file_delete", map[string]any{"path": path}), tool("file_delete", map[string]any{"path": dir + "/*.txt"}),
		tool("shell", map[string]any{"command": "cat " + path}), tool("shell", map[string]any{"command": "echo overwritten > " + path}),
		tool("shell", map[string]any{"command": "rm " + path}), tool("shell", map[string]any{"command": "cp " + path + " copy.txt"}),
		tool("shell", map[string]any{"command": "perl -e 'open(F,q(" + path + "));print <F>;unlink q(" + path + ")'"}),
	}
	run := c.say("it-admin", script(c.t, call(calls...), step{Say: "I tried."}))
	c.allowAll(run)
	rs := c.receipts(run)
	ended := count(rs, "call.denied", "") + count(rs, "call.failed", "") + count(rs, "call.finished", "")
	if requested := count(rs, "call.requested", ""); requested != len(calls) || ended != len(calls) {
		c.t.Errorf("%s: %d calls left %d requests and %d ends: %v", path, len(calls), requested, ended, types(rs))
	}
	if n := count(rs, "call.finished", "file_read") + count(rs, "call.finished", "file_write") + count(rs, "call.finished", "file_delete"); outside && n > 0 {
		c.t.Errorf("%s: a file tool did what was asked: %v", path, types(rs))
	}
	_ = os.Remove(c.hub.data("copy.txt"))
}

// allowAll allows every question of a run until it ends.
func (c *client) allowAll(run string) *story {
	c.t.Helper()
	s := &story{}
	answered := map[string]bool{}
	for !s.ended() {
		var open string
		c.follow(run, s, func() bool {
			for _, e := range s.events {
				if a := decoded[wire.ApprovalData](c.t, e); e.kind == wire.EventApproval && a.State == wire.ApprovalPending && !answered[a.ID] {
					open = a.ID
				}
			}
			return open != ""
		})
		if open != "" && !s.ended() {
			answered[open] = true
			c.allow(open)
		}
	}
	return s
}

// racedEscape swaps a folder of the data for a link to the outside and back, while the model reads, writes and lists in
// it. What it writes stays inside or fails.
func racedEscape(t *testing.T, h *hub, m *model, o outside) {
	c := h.api(t)
	inside := h.data("real")
	if err := os.Mkdir(inside, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(inside, 0o777); err != nil {
		t.Fatal(err)
	}
	stop := flip(t, h.data("race"), inside, o.dir)
	for i := range 5 {
		var calls []scripted
		for j := range 16 { // a run may make 50 calls
			calls = append(calls,
				tool("file_read", map[string]any{"path": "race/" + strings.Repeat("./", j) + "secret.txt"}), tool("file_list", map[string]any{"path": strings.Repeat("./", j) + "race"}),
				tool("file_write", map[string]any{"path": fmt.Sprintf("race/w%d-%d.txt", i, j), "content": "written in a race"}),
			)
		}
		if s := c.allowAll(c.say("it-admin", script(t, call(calls...), step{Say: "Raced."}))); s.final == nil {
			t.Errorf("the run ended with %v", s.tail())
		}
	}
	stop()
	o.wantUntouched(t, m)
}

// flip makes path in turn a real folder and a link, as fast as it can, until stopped.
func flip(t *testing.T, path, inside, outside string) (stop func()) {
	t.Helper()
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			select {
			case <-end:
				return
			default:
			}
			_ = os.Rename(inside, path) // errors are part of the race
			_ = os.Rename(path, inside)
			_ = os.Symlink(outside, path)
			_ = os.Remove(path)
		}
	})
	return sync.OnceFunc(func() { close(end); done.Wait() })
}
