package slate

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// disk is a file that knows what was waited for.
type disk struct {
	mu     sync.Mutex
	b      []byte
	synced []byte
	syncs  int
	fails  error
}

func (d *disk) ReadAt(b []byte, at int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := copy(b, d.b[min(at, int64(len(d.b))):]); n < len(b) {
		return n, io.EOF
	}
	return len(b), nil
}

func (d *disk) WriteAt(b []byte, at int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return 0, d.fails
	}
	if more := int(at) + len(b) - len(d.b); more > 0 {
		d.b = append(d.b, make([]byte, more)...)
	}
	return copy(d.b[at:], b), nil
}

func (d *disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced, d.syncs = slices.Clone(d.b), d.syncs+1
	return d.fails
}

func (d *disk) Close() error { return nil }

var (
	line = Line{"secretary", "", "large", "main", "house"}
	at   = time.Unix(1_800_000_000, 0)
)

func fresh(t *testing.T, d *disk) *Slate {
	t.Helper()
	s, found, err := open(d, "boot")
	if err != nil || len(found.Calls) > 0 {
		t.Fatal(found, err)
	}
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSlate_killed: whatever was written stands there when the process is gone, and nothing counts as lost.
func TestSlate_killed(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	var ways []*Way
	for i := range 5 {
		w, err := s.Begin(line, Run{15: byte(i)}, Tokens{100, 50}, at)
		if err != nil {
			t.Fatal(err)
		}
		used := Used{Input: 10, Output: int64(i), EstOutput: int64(i), Estimated: true}
		if err := w.Note(used, at.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
		ways = append(ways, w)
	}
	if err := errors.Join(ways[0].End(), ways[0].End()); err != nil {
		t.Fatal(err)
	}
	if err := ways[0].Note(Used{Output: 99}, at); err != nil {
		t.Fatal(err)
	}
	_, found, err := open(d, "boot")
	if err != nil || len(found.Calls) != 4 || found.Lost(nil) != nil {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, c := range found.Calls {
		i := slices.IndexFunc(ways, func(w *Way) bool { return w.id == c.ID })
		want := Used{Input: 10, Output: int64(i), EstOutput: int64(i), Estimated: true}
		if i < 1 || c.Used != want || c.Line != line || c.Most != (Tokens{100, 50}) || !c.Seen.Equal(at.Add(time.Duration(i)*time.Second)) {
			t.Errorf("call %d: %+v", i, c)
		}
		if c.Run != (Run{15: byte(i)}) {
			t.Errorf("call %d is for %v", i, c.Run)
		}
	}
}

// TestSlate_crashed: of what the disk was not waited for nothing is left, and the block holds at least as much as all calls on
// their way could use.
func TestSlate_crashed(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	var out Tokens
	for i := range 40 {
		most := Tokens{int64(1000 * (i + 1)), 8192}
		w, err := s.Begin(line, Run{}, most, at)
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 3 {
			end(t, w)
		} else {
			out = out.plus(most)
		}
		crashed := &disk{b: slices.Clone(d.synced)}
		if i%2 == 0 {
			clear(crashed.b[callsAt:])
		}
		_, found, err := open(crashed, "another boot")
		if err != nil {
			t.Fatal(err)
		}
		held := Tokens{}
		for _, l := range found.Lost(nil) {
			held = held.plus(l.Tokens)
		}
		bound := Tokens{5*(out.Input+most.Input)/4 + 2*leastInput, 5*(out.Output+most.Output)/4 + 2*leastOutput}
		if !out.within(held) || !held.within(bound) {
			t.Fatalf("after %d calls that may use %+v a crash holds %+v back", i+1, out, held)
		}
	}
	s.ahead.Wait()
	if d.syncs > 24 {
		t.Errorf("the disk was waited for %d times for 40 calls", d.syncs)
	}
}

// TestFound_lost: what a call that was found has used is no more among what was lost, unless it was counted before.
func TestFound_lost(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	w, err := s.Begin(line, Run{}, Tokens{100, 50}, at)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Note(Used{Input: 70, CacheRead: 10, Output: 20}, at); err != nil {
		t.Fatal(err)
	}
	for boot, want := range map[string]bool{"boot": false, "another": true, "": true} {
		_, found, err := open(d, boot)
		if err != nil {
			t.Fatal(err)
		}
		lost := found.Lost(nil)
		if len(lost) > 0 != want {
			t.Fatalf("start %q of the machine: %+v", boot, lost)
		}
		if !want {
			continue
		}
		if lost[0].Tokens != (Tokens{leastInput - 80, leastOutput - 20}) || lost[0].Line != line {
			t.Errorf("%+v", lost)
		}
		if lost := found.Lost(map[int64]bool{w.ID(): true}); lost[0].Tokens != (Tokens{leastInput, leastOutput}) {
			t.Errorf("counted before: %+v", lost)
		}
	}
}

// TestSlate_rests: an ordered end leaves nothing reserved, and so does a while without calls; with a call on its way all stays.
func TestSlate_rests(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	w, err := s.Begin(line, Run{}, Tokens{100, 50}, at)
	if err != nil {
		t.Fatal(err)
	}
	held := func() int {
		_, found, err := open(&disk{b: slices.Clone(d.synced)}, "another")
		if err != nil {
			t.Fatal(err)
		}
		return len(found.Lost(nil))
	}
	if err := s.giveBack(true); err != nil || held() != 1 {
		t.Errorf("with a call on its way: %d, %v", held(), err)
	}
	end(t, w)
	if err := s.giveBack(true); err != nil || held() != 0 {
		t.Errorf("at rest: %d, %v", held(), err)
	}
	if w, err = s.Begin(line, Run{}, Tokens{100, 50}, at); err != nil || held() != 1 {
		t.Fatalf("after a rest: %d, %v", held(), err)
	}
	end(t, w)
	if err := s.Close(); err != nil || held() != 0 {
		t.Errorf("after the end: %d, %v", held(), err)
	}
	if _, err := s.Begin(line, Run{}, Tokens{100, 50}, at); !errors.Is(err, ErrFull) {
		t.Errorf("a call began after the end: %v", err)
	}
}

// TestSlate_full: when all places are taken a call is refused, and begins once one is free; lines that rest make room.
func TestSlate_full(t *testing.T) {
	t.Parallel()
	s := fresh(t, &disk{})
	var ways []*Way
	for range maxCalls {
		w, err := s.Begin(line, Run{}, Tokens{1, 1}, at)
		if err != nil {
			t.Fatal(err)
		}
		ways = append(ways, w)
	}
	if _, err := s.Begin(line, Run{}, Tokens{1, 1}, at); !errors.Is(err, ErrFull) {
		t.Fatalf("one too many: %v", err)
	}
	for _, w := range ways {
		end(t, w)
	}
	for i := range 3 * maxLines {
		other := line
		other.Agent = fmt.Sprint("agent-", i)
		w, err := s.Begin(other, Run{}, Tokens{1, 1}, at)
		if err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		end(t, w)
	}
	long := line
	long.Model = strings.Repeat("m", lineSize)
	if _, err := s.Begin(long, Run{}, Tokens{1, 1}, at); !errors.Is(err, ErrTooLong) {
		t.Errorf("a name without end: %v", err)
	}
}

// TestSlate_failing: a call whose reservation does not reach the disk does not begin, and takes nothing with it.
func TestSlate_failing(t *testing.T) {
	t.Parallel()
	d := &disk{}
	s := fresh(t, d)
	d.fails = errors.New("no space")
	if _, err := s.Begin(line, Run{}, Tokens{100, 50}, at); !errors.Is(err, d.fails) {
		t.Fatalf("%v", err)
	}
	d.fails = nil
	w, err := s.Begin(line, Run{}, Tokens{leastInput, leastOutput}, at)
	if err != nil {
		t.Fatal(err)
	}
	if w.l.out != (Tokens{leastInput, leastOutput}) {
		t.Errorf("%+v are out", w.l.out)
	}
}

// TestSlate_together: many callers at once, on few lines, on a real file.
func TestSlate_together(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls")
	s, _, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			of := line
			of.Agent = fmt.Sprint("agent-", i%3)
			for n := range 50 {
				w, err := s.Begin(of, Run{}, Tokens{int64(n * 100), 100}, at)
				if err != nil {
					t.Error(err)
					return
				}
				if err := w.Note(Used{Output: 1}, at); err != nil {
					t.Error(err)
				}
				end(t, w)
			}
		})
	}
	all.Wait()
	for _, l := range s.lines {
		if l.out != (Tokens{}) || l.calls != 0 {
			t.Errorf("%+v are out after all calls ended", l.out)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, found, err := Open(path); err != nil || len(found.Calls) > 0 || len(found.blocks) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// FuzzSlate: a file of anything is read without a panic, and what it says never makes sums that are below nothing.
func FuzzSlate(f *testing.F) {
	d := &disk{}
	s, _, err := open(d, "boot")
	if err != nil || s.Clear() != nil {
		f.Fatal(err)
	}
	if _, err := s.Begin(line, Run{}, Tokens{100, 50}, at); err != nil {
		f.Fatal(err)
	}
	f.Add(d.b[headSize:headSize+lineSize], d.b[callsAt+(maxCalls-1)*callSize:][:callSize])
	f.Fuzz(func(t *testing.T, l, c []byte) {
		b := slices.Clone(d.b)
		copy(b[headSize:callsAt], sealedLine(l))
		copy(b[callsAt:], c)
		_, found, err := open(&disk{b: b}, "another")
		if err != nil {
			t.Fatal(err)
		}
		for _, lost := range found.Lost(nil) {
			if lost.Tokens.Input < 0 || lost.Tokens.Output < 0 {
				t.Fatalf("%+v", lost)
			}
		}
	})
}

func sealedLine(b []byte) []byte {
	whole := make([]byte, lineSize)
	copy(whole, b)
	return sealed(whole)
}
