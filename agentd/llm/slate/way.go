package slate

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Way is a call on its way. A nil Way is one that nobody has put on record.
type Way struct {
	s     *Slate
	l     *lane
	place int
	id    int64
	block int64
	most  Tokens
	run   Run

	mu   sync.Mutex
	over bool
	buf  [callSize]byte
}

// Begin puts a call on record. From its return on, what it may use at most is reserved on disk.
func (s *Slate) Begin(of Line, run Run, most Tokens, now time.Time) (*Way, error) {
	s.mend()
	l, err := s.lane(of)
	if err != nil {
		return nil, err
	}
	block, err := s.draw(l, most)
	if err != nil {
		s.back(l, Tokens{})
		return nil, err
	}
	w := &Way{s: s, l: l, id: newID(), block: block, most: most, run: run}
	s.mu.Lock()
	full := len(s.free) == 0 || s.done
	if !full {
		w.place, s.free = s.free[len(s.free)-1], s.free[:len(s.free)-1]
		s.open++
	}
	s.mu.Unlock()
	if full {
		s.back(l, most)
		return nil, ErrFull
	}
	if err := w.Note(Used{Estimated: true}, now); err != nil {
		return nil, errors.Join(err, w.End())
	}
	return w, nil
}

// ID tells the call apart from all others.
func (w *Way) ID() int64 { return w.id }

// Note writes what the call has used so far.
func (w *Way) Note(u Used, now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return nil
	}
	return w.write(entry{id: w.id, block: w.block, most: w.most, used: u, seen: now.Unix(), run: w.run})
}

func (w *Way) write(e entry) error {
	if _, err := w.s.f.WriteAt(e.put(w.buf[:]), int64(callsAt+w.place*callSize)); err != nil {
		return fmt.Errorf("note call: %w", err)
	}
	return nil
}

// End takes the call off the record: it is counted elsewhere, or used nothing. After an error it may stand there until another call
// begins, and a start before that finds it. Only the first End does anything: its place may be another call's by then.
func (w *Way) End() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return nil
	}
	w.over = true
	err := w.s.empty(callsAt, callSize, w.place)
	w.s.back(w.l, w.most)
	w.s.ended(w.place, err == nil)
	return err
}

// ended takes back the place of a call. While something stands there it stays taken: that must not be taken for another call's.
func (s *Slate) ended(place int, empty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if empty {
		s.free = append(s.free, place)
	} else {
		s.torn.places = append(s.torn.places, place)
	}
}

// rests lets blocks be given back a while after the last call of their line, however busy others are. The slate is locked.
func (s *Slate) rests() {
	if s.idle == nil && !s.done {
		s.idle = time.AfterFunc(rest, s.tidy)
	}
}

func (s *Slate) tidy() {
	_ = s.giveBack(false) // what stays reserved costs nothing
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = nil
	for _, l := range s.lines {
		if l.calls == 0 {
			s.rests()
			return
		}
	}
}
