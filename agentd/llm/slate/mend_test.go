package slate

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// fail lets the disk refuse everything, or nothing any more.
func (d *disk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = err
}

// TestMend_places: after a time in which nothing could be written all places are there again, and nothing stands in them.
func TestMend_places(t *testing.T) {
	t.Parallel()
	for _, why := range []error{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT} {
		d := &disk{}
		s := fresh(t, d)
		w, err := s.Begin(line, Run{}, Tokens{1, 1}, at)
		if err != nil {
			t.Fatal(err)
		}
		d.fail(why)
		if err := w.End(); !errors.Is(err, why) {
			t.Errorf("an end that was not written: %v", err)
		}
		for range 2 * maxCalls {
			if _, err := s.Begin(line, Run{}, Tokens{1, 1}, at); !errors.Is(err, why) && !errors.Is(err, ErrFull) {
				t.Fatalf("a call that stands nowhere began: %v", err)
			}
		}
		d.fail(nil)
		ways := map[int]*Way{}
		for i := range maxCalls {
			w, err := s.Begin(line, Run{}, Tokens{1, 1}, at)
			if err != nil {
				t.Fatalf("%v: call %d once the disk works: %v", why, i, err)
			}
			if ways[w.place] != nil {
				t.Fatalf("%v: two calls have place %d", why, w.place)
			}
			ways[w.place] = w
		}
		for _, w := range ways {
			end(t, w)
		}
		if _, found, err := open(d, "boot"); err != nil || len(found.Calls) > 0 {
			t.Errorf("%v: %d calls stand there after all have ended, %v", why, len(found.Calls), err)
		}
	}
}

// TestMend_rows: lines whose blocks could not be given back are free again once that works.
func TestMend_rows(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	begin := func(name string) *Way {
		t.Helper()
		w, err := s.Begin(Line{Agent: name}, Run{}, Tokens{1, 1}, at)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return w
	}
	for i := range maxLines {
		end(t, begin(fmt.Sprint("before-", i)))
	}
	d.fail(syscall.EIO)
	if err := s.giveBack(true); !errors.Is(err, syscall.EIO) {
		t.Fatalf("%v", err)
	}
	d.fail(nil)
	rows := map[int]bool{}
	for i := range maxLines {
		w := begin(fmt.Sprint("after-", i))
		if rows[w.l.row] {
			t.Fatalf("two lines have row %d", w.l.row)
		}
		rows[w.l.row] = true
	}
}

// TestEnd_twice: the second end of a call does nothing to the one that has its place now.
func TestEnd_twice(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	one, err := s.Begin(line, Run{}, Tokens{100, 50}, at)
	if err != nil || one.End() != nil {
		t.Fatal(err)
	}
	two, err := s.Begin(line, Run{}, Tokens{100, 50}, at)
	if err != nil || two.place != one.place {
		t.Fatalf("another place, %v: the test shows nothing", err)
	}
	end(t, one)
	if _, found, err := open(d, "boot"); err != nil || len(found.Calls) != 1 || found.Calls[0].ID != two.ID() {
		t.Errorf("%+v, %v", found.Calls, err)
	}
	if s.open != 1 {
		t.Errorf("%d calls are on their way", s.open)
	}
}

func end(t *testing.T, w *Way) {
	t.Helper()
	if err := w.End(); err != nil {
		t.Error(err)
	}
}

// TestSlate_restsAlone: a line that rests gives its block back while others are busy, and one that has just ended keeps it.
func TestSlate_restsAlone(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	ways := map[string]*Way{}
	for _, name := range []string{"busy", "resting", "just ended"} {
		w, err := s.Begin(Line{Agent: name}, Run{}, Tokens{1, 1}, at)
		if err != nil {
			t.Fatal(err)
		}
		ways[name] = w
	}
	end(t, ways["resting"])
	s.idle.Stop()
	s.tidy() // its first look
	end(t, ways["just ended"])
	s.idle.Stop()
	s.tidy()
	_, found, err := open(&disk{b: slices.Clone(d.synced)}, "another")
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, l := range found.Lost(nil) {
		left[l.Line.Agent] = true
	}
	if len(left) != 2 || left["resting"] {
		t.Errorf("reserved for %v", left)
	}
	if s.idle == nil {
		t.Error("nobody looks after the one that rests now")
	}
}

// TestSlate_large: a crash holds back for one large call little more than it had reserved.
func TestSlate_large(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	if _, err := s.Begin(line, Run{}, Tokens{1_000_000, 16384}, at); err != nil {
		t.Fatal(err)
	}
	s.ahead.Wait()
	_, found, err := open(&disk{b: slices.Clone(d.synced)}, "another")
	if err != nil {
		t.Fatal(err)
	}
	if lost := found.Lost(nil); len(lost) != 1 || lost[0].Tokens.Input > 1_310_720 || lost[0].Tokens.Output > 1<<16 {
		t.Errorf("%+v", lost)
	}
}
