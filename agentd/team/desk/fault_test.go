package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// The variables that make a process of this test one that carries out an act and dies, or finds no room.
const (
	envDir  = "DESK_DIR"  // where its server lies
	envAct  = "DESK_ACT"  // the file with the act
	envRoom = "DESK_ROOM" // bytes that a file may have
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func victim(dir string) error {
	s, err := start(context.Background(), dir, shelf(nil))
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(os.Getenv(envAct))
	if err != nil {
		return err
	}
	var room uint64
	if _, err := fmt.Sscan(os.Getenv(envRoom), &room); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room}); err != nil {
			return err
		}
	}
	_, err = ask[wire.TeamDone](s, wire.MethodTeamChange, json.RawMessage(raw))
	return err
}

// run carries out an act in another process, with these variables.
func (w *world) run(bin string, c wire.TeamChange, env ...string) (string, error) {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "act.json")
	raw, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	dir := w.dir
	w.stop()
	cmd := exec.CommandContext(w.t.Context(), bin)
	cmd.Env = append(os.Environ(), append(env, envDir+"="+dir, envAct+"="+file)...)
	out, err := cmd.CombinedOutput()
	w.boot(dir, shelf(nil))
	return string(out), err
}

// TestKilled kills a real process between the steps of each act. At the next start the act has happened in full, or not at all, and
// asking again does it once.
func TestKilled(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "victim")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-tags", "failpoint", "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for do, points := range map[wire.TeamDo][]string{
		wire.TeamDoInstall: {"prepared", "kept", "taken", "put", "done"}, wire.TeamDoArchive: {"prepared", "kept", "done"},
		wire.TeamDoRestore: {"prepared", "kept", "done"}, wire.TeamDoCreate: {"prepared", "kept", "taken", "put", "done"},
		wire.TeamDoWrite: {"prepared", "kept", "taken", "put", "done"},
	} {
		for _, point := range points {
			w := open(t)
			c := w.ready(do)
			before := tree(t, w.folders.Dir)
			out, err := w.run(bin, c, "FAILPOINT=team-"+point+":1")
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != -1 {
				t.Fatalf("%s at %s: it was not killed: %v %s", do, point, err, out)
			}
			if after := tree(t, w.folders.Dir); point == "prepared" && !same(before, after) {
				t.Errorf("%s at %s: something is left of it", do, point)
			}
			if happened := w.happened(do); happened != (point != "prepared") {
				t.Errorf("%s at %s: it has happened: %v", do, point, happened)
			}
			if _, err := ask[wire.TeamDone](w.server, wire.MethodTeamChange, c); err != nil || !w.happened(do) {
				t.Errorf("%s at %s: asked again: %v", do, point, err)
			}
			for _, left := range []string{".new", ".old"} {
				if got := tree(t, filepath.Join(w.folders.Dir, left)); len(got) > 0 {
					t.Errorf("%s at %s: left over: %v", do, point, got)
				}
			}
		}
	}
}

// ready brings the server to where an act can be done to the agent social, and gives the act.
func (w *world) ready(do wire.TeamDo) wire.TeamChange {
	w.t.Helper()
	for _, before := range map[wire.TeamDo][]wire.TeamDo{
		wire.TeamDoArchive: {wire.TeamDoInstall}, wire.TeamDoWrite: {wire.TeamDoInstall},
		wire.TeamDoRestore: {wire.TeamDoInstall, wire.TeamDoArchive},
	}[do] {
		if _, err := w.act(wire.TeamAct{Do: before, Agent: "social", Seen: w.template("social").Seen}); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(w.folders.Dir, ".new"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(w.folders.Dir, ".old"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	a := wire.TeamAct{ID: uuid.Must(uuid.NewV7()).String(), Do: do, Agent: "social", Seen: w.template("social").Seen}
	switch do {
	case wire.TeamDoCreate:
		a.Agent, a.Seen, a.About = "gardener", "", gardener()
	case wire.TeamDoWrite:
		a.File, a.Text = "SOUL.md", "You hum."
	}
	return w.signed(a)
}

func (w *world) happened(do wire.TeamDo) bool {
	shipped, err := team.Shipped().Files("social")
	if err != nil {
		w.t.Fatal(err)
	}
	if do == wire.TeamDoArchive {
		away, err := w.folders.ReadArchived("social")
		return !slices.Contains(w.ids(), "social") && err == nil && same(away, shipped)
	}
	if do == wire.TeamDoCreate {
		_, err := w.folders.Read("gardener")
		return slices.Contains(w.ids(), "gardener") && err == nil
	}
	if do == wire.TeamDoWrite {
		shipped["SOUL.md"] = "You hum.\n"
	}
	files, err := w.folders.Read("social")
	return slices.Contains(w.ids(), "social") && err == nil && same(files, shipped)
}

// TestFull: when there is no room for an agent's files, nothing happens, nothing is left, and the owner is told. The signature is not
// used up: with room the same act is carried out.
func TestFull(t *testing.T) {
	t.Parallel()
	w := open(t)
	c := w.ready(wire.TeamDoInstall)
	before := tree(t, w.folders.Dir)
	out, err := w.run(os.Args[0], c, envRoom+"=300")
	if err == nil || !strings.Contains(out, "look whether its disk is full") {
		t.Errorf("%v: %s", err, out)
	}
	if !same(before, tree(t, w.folders.Dir)) || w.happened(wire.TeamDoInstall) || w.receipts() != 0 {
		t.Error("something was changed")
	}
	if _, err := ask[wire.TeamDone](w.server, wire.MethodTeamChange, c); err != nil || !w.happened(wire.TeamDoInstall) {
		t.Error(err)
	}
}

// TestOverdue: an act that is kept and cannot be carried out comes before any other, so that it never undoes a later one.
func TestOverdue(t *testing.T) {
	t.Parallel()
	w := open(t)
	first, sales := w.ready(wire.TeamDoArchive), w.template("sales").Seen
	away := filepath.Join(w.folders.Dir, ".archive")
	if err := os.WriteFile(away, nil, 0o600); err != nil { // nothing can be put in there
		t.Fatal(err)
	}
	if _, err := ask[wire.TeamDone](w.server, wire.MethodTeamChange, first); err == nil || !strings.Contains(err.Error(), "tries again") {
		t.Fatalf("put away where nothing can be put: %v", err)
	}
	install := func() error {
		_, err := w.act(wire.TeamAct{Do: wire.TeamDoInstall, Agent: "sales", Seen: sales})
		return err
	}
	if err := install(); err == nil || !strings.Contains(err.Error(), "An earlier change") {
		t.Errorf("another act was carried out before it: %v", err)
	}
	if err := os.Remove(away); err != nil {
		t.Fatal(err)
	}
	if err := install(); err != nil || !w.happened(wire.TeamDoArchive) || !slices.Contains(w.ids(), "sales") {
		t.Errorf("once it can be put away: %v, the team is %q", err, w.ids())
	}
}

// TestOverdue_create: a new agent that could not be laid out begins at its level also when that happens later.
func TestOverdue_create(t *testing.T) {
	t.Parallel()
	w := open(t)
	place := filepath.Join(w.folders.Dir, "gardener")
	if err := os.Symlink("nowhere", place); err != nil { // it has to be moved away first
		t.Fatal(err)
	}
	blocked := filepath.Join(w.folders.Dir, ".old")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoCreate, Agent: "gardener", About: gardener()}); err == nil ||
		!strings.Contains(err.Error(), "tries again") {
		t.Fatalf("laid out where nothing can be: %v", err)
	}
	w.begun = nil
	if err := errors.Join(os.Remove(blocked), os.Remove(place)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.act(wire.TeamAct{Do: wire.TeamDoInstall, Agent: "sales", Seen: w.template("sales").Seen}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(w.ids(), "gardener") || !slices.Equal(w.begun, []string{"gardener"}) {
		t.Errorf("the team is %q, and %q begin", w.ids(), w.begun)
	}
}
