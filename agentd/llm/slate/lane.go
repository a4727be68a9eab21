package slate

import (
	"fmt"
	"math/bits"
	"sync"
	"time"
)

// lane is a line that calls go by.
type lane struct {
	row   int
	calls int  // that have it in hand; the slate's lock guards it
	grows bool // somebody reserves more already; likewise
	idle  bool // it has had no call since the last look; likewise

	disk sync.Mutex // held while the line is written

	mu   sync.Mutex
	kept block  // on disk
	out  Tokens // what calls on their way may use at most
}

const (
	// leastInput and leastOutput are what is reserved at least: two usual calls.
	leastInput  = 1 << 16
	leastOutput = 1 << 14
	// rest is how long blocks stay reserved at least while no call of their line is on its way, and twice that at most.
	rest = 15 * time.Minute
)

// roomy is a block for what is out: a quarter more at most, or a usual block, so that it is seldom written, and a crash holds back
// little more than what calls had reserved.
func roomy(out Tokens) Tokens {
	return Tokens{room(out.Input, leastInput), room(out.Output, leastOutput)}
}

func room(n, least int64) int64 {
	if n <= least {
		return least
	}
	step := max(int64(1)<<bits.Len64(uint64(n-1))/8, least) //nolint:gosec // above least
	return (n + step - 1) / step * step
}

// lane finds the line, or gives it a place. Among those that rest, one gives its place away.
func (s *Slate) lane(of Line) (*lane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lines[of]; l != nil {
		l.calls++
		l.idle = false
		return l, nil
	}
	if len(s.rows) == 0 {
		for name, l := range s.lines {
			if l.calls == 0 && !l.grows {
				delete(s.lines, name)
				s.rows = append(s.rows, l.row)
				break
			}
		}
	}
	if len(s.rows) == 0 {
		return nil, ErrFull
	}
	l := &lane{row: s.rows[len(s.rows)-1], kept: block{line: of}, calls: 1}
	s.rows = s.rows[:len(s.rows)-1]
	s.lines[of] = l
	return l, nil
}

// draw takes what a call may use at most out of the block, and says which it is. When that is too small, the disk is waited for;
// when it becomes small, more is reserved behind the caller's back.
func (s *Slate) draw(l *lane, most Tokens) (int64, error) {
	for {
		l.mu.Lock()
		out, kept := l.out.plus(most), l.kept
		fits := kept.id != 0 && out.within(kept.tokens)
		if fits {
			l.out = out
		}
		l.mu.Unlock()
		if !fits {
			if err := s.grow(l, out); err != nil {
				return 0, err
			}
			continue
		}
		if next := out.plus(Tokens{min(most.Input, leastInput), min(most.Output, leastOutput)}); !next.within(kept.tokens) {
			s.more(l, next)
		}
		return kept.id, nil
	}
}

// grow reserves a block on disk that a number of tokens fits into.
func (s *Slate) grow(l *lane, out Tokens) error {
	l.disk.Lock()
	defer l.disk.Unlock()
	l.mu.Lock()
	k := l.kept
	l.mu.Unlock()
	if k.id != 0 && out.within(k.tokens) {
		return nil // somebody has done it meanwhile
	}
	if k.id == 0 {
		k.id = newID()
	}
	out = roomy(out)
	k.tokens = Tokens{max(out.Input, k.tokens.Input), max(out.Output, k.tokens.Output)}
	b, err := k.bytes()
	if err != nil {
		return err
	}
	if _, err := s.f.WriteAt(b, int64(headSize+l.row*lineSize)); err != nil {
		return fmt.Errorf("reserve tokens: %w", err)
	}
	if err := s.f.Sync(); err != nil {
		return fmt.Errorf("reserve tokens: %w", err)
	}
	l.mu.Lock()
	l.kept = k
	l.mu.Unlock()
	return nil
}

// more reserves a larger block before it is needed.
func (s *Slate) more(l *lane, out Tokens) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.grows || s.done {
		return
	}
	l.grows = true
	s.ahead.Go(func() {
		_ = s.grow(l, out) // the call that needs it tries again, and hears of it
		s.mu.Lock()
		l.grows = false
		s.mu.Unlock()
	})
}

// back returns what a call could have used.
func (s *Slate) back(l *lane, most Tokens) {
	l.mu.Lock()
	l.out = l.out.minus(most)
	l.mu.Unlock()
	s.mu.Lock()
	if l.calls--; l.calls == 0 {
		s.rests()
	}
	s.mu.Unlock()
}

// giveBack reserves nothing any more for lines that have had no call since the last look, or for all that have none now.
func (s *Slate) giveBack(all bool) error {
	s.mu.Lock()
	resting := []int{}
	for name, l := range s.lines {
		if l.calls == 0 && !l.grows && (all || l.idle) {
			delete(s.lines, name)
			resting = append(resting, l.row)
		}
		l.idle = l.calls == 0
	}
	s.mu.Unlock()
	if len(resting) == 0 {
		return nil
	}
	err := s.emptyAll(headSize, lineSize, resting)
	if err == nil {
		err = s.f.Sync()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.torn.rows = append(s.torn.rows, resting...)
		return fmt.Errorf("give tokens back: %w", err)
	}
	s.rows = append(s.rows, resting...)
	return nil
}
