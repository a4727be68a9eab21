package filewrite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

func (w world) look(t *testing.T, call string) wire.Change {
	t.Helper()
	c, err := w.tool.Look(call)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLook: what is said of a write before it is taken back is what file_restore then does, and looking changes nothing.
func TestLook(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{"a.txt": "one\n"})
	w.Do(t, "file_write", args("a.txt", "two\n"))
	call := w.last(t)
	c := w.look(t, call)
	if c.State != wire.ChangeKept || c.Path != "a.txt" || c.Diff == nil || !strings.Contains(c.Diff.Unified, "-two\n+one\n") || c.Diff.Added != 1 {
		t.Fatalf("%+v, %+v", c, c.Diff)
	}
	if until := time.Until(c.Until); until < 29*24*time.Hour || until > 30*24*time.Hour || !c.Until.Equal(c.Time.Add(wire.KeptFor)) {
		t.Errorf("kept until %s", c.Until)
	}
	w.Write(t, map[string]string{"a.txt": "by hand\n"})
	if later := w.look(t, call); later.State != wire.ChangeLater || later.Now == c.Now || !strings.Contains(later.Diff.Unified, "-by hand\n+one\n") {
		t.Errorf("%+v, %+v", later, later.Diff)
	}
	if err := os.Remove(filepath.Join(w.Data, "a.txt")); err != nil {
		t.Fatal(err)
	}
	if gone := w.look(t, call); gone.State != wire.ChangeLater || !gone.Diff.New {
		t.Errorf("%+v, %+v", gone, gone.Diff)
	}
	w.Write(t, map[string]string{"a.txt": "one\n"})
	if same := w.look(t, call); same.State != wire.ChangeSame || same.Diff != nil {
		t.Errorf("%+v", same)
	}
	if w.Read(t, "a.txt") != "one\n" || w.last(t) != call {
		t.Error("looking changed something")
	}
}

// TestLook_nothingToPutBack: a new file, a write that is only proposed, one that is not kept, and one that was spoiled.
func TestLook_nothingToPutBack(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Do(t, "file_write", args("new.txt", "one\n"))
	if c := w.look(t, w.last(t)); c.State != wire.ChangeNew || c.Diff != nil {
		t.Errorf("%+v", c)
	}
	w.Write(t, map[string]string{"a.txt": "one\n"})
	w.Do(t, "file_write", args("a.txt", "two\n"))
	call := w.last(t)
	if err := os.WriteFile(filepath.Join(w.State, "staged", call, "before"), []byte("evil"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Level = 1
	open := w.Ask(t, "file_write", args("a.txt", "three\n"))
	for name, id := range map[string]string{
		"spoiled": call, "only proposed": open.Approval.CallID, "not there": "01900000-0000-7000-8000-000000000000", "no id": "../" + call,
	} {
		if c := w.look(t, id); c.State != wire.ChangeGone || c.Diff != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	w.Answer(t, open, wire.Deny)
}
