package crash

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
	"gatehouse/cmd/hub/rig"
)

// death is how agentd dies in a run: at these points, one after the other. Replaced says that as soon as the files are
// gone, others of their names are there when it comes back: an act that is done twice takes those as well.
type death struct {
	points   []string
	replaced bool
}

// TestSweep kills agentd at fail points of a whole run, from the message over a person's leave to the last word, and looks
// at what is there in the end: what was allowed has been done once, the owner is told the truth of it, and the records
// hold. With GATEHOUSE_SOAK it does so at every point that such a run hits; else where the intent is on record and nothing
// is done, and where it is done and not on record.
func TestSweep(t *testing.T) {
	w := startDoomed(t)
	points := w.undisturbed(t)
	for i, d := range deaths(t, points) {
		if i > 0 && i%3 == 0 { // who starts agentd again waits longer each time
			w.Stop(t)
			w.Start(t)
		}
		w.dies(t, d)
	}
}

func deaths(t *testing.T, points []string) (all []death) {
	t.Helper()
	allowed := points[max(0, slices.Index(points, "answered:1")):]
	begun, done := firstOf(allowed, "started"), firstOf(allowed, "ran")
	if begun == "" || done == "" || len(allowed) == len(points) {
		t.Fatalf("the run hit only %v", points)
	}
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		return []death{{points: []string{begun}}, {points: []string{done}}, {points: []string{done}, replaced: true}}
	}
	for _, p := range points {
		all = append(all, death{points: []string{p}})
		if !ofStore(p) {
			all = append(all, death{points: []string{p}, replaced: true}, death{points: []string{p, "committing:1"}})
		}
	}
	return all
}

// ofStore says whether a point is one of the store's, which shares commits among those who write at the same time: another
// run may hit it less often.
func ofStore(point string) bool {
	return strings.HasPrefix(point, "committing:") || strings.HasPrefix(point, "committed:")
}

func firstOf(points []string, name string) string {
	i := slices.IndexFunc(points, func(p string) bool { return strings.HasPrefix(p, name+":") })
	if i < 0 {
		return ""
	}
	return points[i]
}

const (
	sweepSays = "Delete the old temporary files"
	trash     = "of no use\n"
	other     = "of use to somebody else\n"
)

// undisturbed takes a run from its message to its end, and lists what it hits.
func (w *doomed) undisturbed(t *testing.T) []string {
	t.Helper()
	_, from := w.hit(t, 0)
	w.dies(t, death{})
	points, _ := w.hit(t, from)
	return points
}

// dies takes a run through its deaths to its end.
func (w *doomed) dies(t *testing.T, d death) {
	t.Helper()
	w.c.AwaitLink()
	names := w.trash(t, 3)
	n := len(w.Temps(t))
	_, from := w.hit(t, 0)
	w.dooms(t, d.points...)
	replaced := w.replaces(t, d, names)
	run := w.c.Say("dispatcher", sweepSays)
	s := w.through(t, run, n)
	anew := replaced()
	w.wantDead(t, d, from)
	w.dooms(t)
	want := "I have deleted `tmp/*.tmp`: " + strconv.Itoa(n) + " files"
	if failed := w.wantRecords(t, d, run); failed && anew {
		want = "not known" // it came back before the end was on record, and found others
	} else if failed {
		t.Errorf("killed at %v: it failed", d)
	}
	if s.Final == nil || !strings.Contains(s.Final.Text, want) {
		t.Errorf("killed at %v: %d files were deleted, and the owner reads %v", d, n, s.Tail())
	}
	if left := stillThere(t, names, trash); len(left) > 0 {
		t.Errorf("killed at %v: %v are left", d, left)
	}
	if kept := stillThere(t, names, other); anew && len(kept) != len(names) {
		t.Errorf("killed at %v: of what came in their place only %v are left", d, kept)
	}
}

// wantDead fails unless agentd has died where it was to, first of all.
func (w *doomed) wantDead(t *testing.T, d death, from int) {
	t.Helper()
	if len(d.points) == 0 || w.dead(t, d.points[0]) {
		return
	}
	points, _ := w.hit(t, from)
	if !ofStore(d.points[0]) || slices.Contains(points, d.points[0]) {
		t.Errorf("it did not die at %s: %v", d.points[0], points)
	}
	t.Logf("%s was not hit", d.points[0])
}

// replaces puts other files in the place of those that are gone when agentd dies, before it comes back. The answer of the
// function that it returns says whether it did.
func (w *doomed) replaces(t *testing.T, d death, names []string) func() bool {
	t.Helper()
	if !d.replaced {
		return func() bool { return false }
	}
	w.holds(t)
	ctx, stop := context.WithCancel(t.Context())
	anew := make(chan bool, 1)
	go func() {
		var gone bool
		defer func() { anew <- gone }()
		defer w.letsGo(t)
		gone = rig.Until(ctx, func() bool { return w.dead(t, d.points[0]) }) && len(stillThere(t, names, trash)) == 0
		if gone {
			w.write(t, names, other)
		}
	}()
	return func() bool { stop(); return <-anew }
}

// through follows a run to its end, and allows what it asks. Until then nothing may be gone.
func (w *doomed) through(t *testing.T, run string, n int) *e2e.Story {
	t.Helper()
	s, decided := &e2e.Story{}, map[string]bool{}
	for !s.Ended() {
		w.c.Follow(run, s, func() bool { return open(t, s, decided) != "" })
		id := open(t, s, decided)
		if s.Ended() || id == "" {
			continue
		}
		if now := len(w.Temps(t)); len(decided) == 0 && now != n {
			t.Errorf("%d of %d files were there before anybody allowed it", now, n)
		}
		w.awaitQuestion(t, id)
		w.c.Allow(id)
		decided[id] = true
	}
	return s
}

// open is a question of the run that waits for an answer.
func open(t *testing.T, s *e2e.Story, decided map[string]bool) (id string) {
	t.Helper()
	for _, e := range s.Events {
		if e.Kind != wire.EventApproval {
			continue
		}
		switch a := e2e.Decode[wire.ApprovalData](t, e).Approval; {
		case a.State == wire.ApprovalPending && !decided[a.ID]:
			id = a.ID
		case a.ID == id:
			id = ""
		}
	}
	return id
}

// awaitQuestion waits until the inbox has it: agentd may have died on the way.
func (w *doomed) awaitQuestion(t *testing.T, id string) {
	t.Helper()
	e2e.Until(t, "the question is in the inbox", func() bool {
		a, err := w.c.Try(t.Context(), http.MethodGet, "/approvals/"+id, nil)
		return err == nil && a.Status == http.StatusOK
	})
}

// wantRecords holds the records of the run against what must be: nothing begun without an end or done twice, nothing asked
// twice or used twice, and leave before the act. It says whether the deletion failed.
func (w *doomed) wantRecords(t *testing.T, d death, run string) (failed bool) {
	t.Helper()
	w.c.AwaitLink() // it may have died at its last word
	all := w.c.Receipts(run)
	leave, begun, ended := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range all {
		var body struct {
			Approval string `json:"approval_id"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		switch r.Type {
		case "call.approved":
			leave[body.Approval]++
		case "call.started":
			begun[r.CallID]++
			if r.Tool == "file_delete" {
				leave[body.Approval]-- // before it is given, and when it is used twice, it is below zero
			}
			if leave[body.Approval] < 0 {
				t.Errorf("killed at %v: begun without leave", d)
			}
		case "call.finished", "call.failed", "call.unknown":
			ended[r.CallID]++
		}
	}
	if !maps.Equal(begun, ended) {
		t.Errorf("killed at %v: begun %v, ended %v", d, begun, ended)
	}
	failed = e2e.Count(all, "call.failed", "file_delete") == 1
	finished := e2e.Count(all, "call.finished", "file_delete") == 1
	once := e2e.Count(all, "call.approved", "") == 1 && e2e.Count(all, "call.started", "file_delete") == 1 && len(leave) == 1
	if !once || finished == failed {
		t.Errorf("killed at %v: %v", d, e2e.Types(all))
	}
	if left := w.c.Pending(); len(left) > 0 {
		t.Errorf("killed at %v: %d questions are left", d, len(left))
	}
	return failed
}
