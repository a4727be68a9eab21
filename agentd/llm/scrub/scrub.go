package scrub

import (
	"errors"
	"fmt"

	"gatehouse/agentd/llm/jsontree"
	"gatehouse/agentd/redact"
)

// Engine finds secrets in one text; agentd/redact.Engine is one.
type Engine interface {
	Scan(text string) (string, []redact.Finding)
}

// ErrRefused says that a request cannot be cleaned, so that it must not be sent. Its text is fit for the caller.
var ErrRefused = errors.New("the request holds something that cannot be checked for secrets")

// The reach over a seam between two parts: long enough for most secrets in any encoding, and never so long that seams
// cost more than the text.
const (
	shortReach = 512
	longReach  = 8 << 10
	widest     = 3 // an encoding makes a secret at most so many times as long
)

// Scrubber cleans requests. It is safe for use by many goroutines. It belongs to one state of the engine: when the
// engine learns a secret, a new Scrubber must take over, for this one remembers what it found clean.
type Scrubber struct {
	engine Engine
	reach  int // bytes on each side of a seam
	seen   *memory
}

// New makes a Scrubber. longest is the length of the longest secret that the engine knows, in bytes.
func New(e Engine, longest int) *Scrubber {
	return &Scrubber{engine: e, reach: min(max(shortReach, widest*longest), longReach), seen: newMemory()}
}

// Clean takes the secrets out of root, in place, and says how many there were. After an error root must not be sent.
func (s *Scrubber) Clean(root *jsontree.Value) (found int, err error) {
	w := &walk{s: s}
	if err := w.value(root, place{}); err != nil {
		return w.found, err
	}
	w.rowEnds()
	w.seams(func(*leaf) string { return "" })
	w.seams(func(l *leaf) string { return l.role })
	w.finish()
	return w.found, nil
}

// Text is the clean form of one text by itself.
func (s *Scrubber) Text(text string) (string, int) {
	m := s.look(text)
	return m.clean, len(m.findings)
}

// look scans a text, or remembers what a scan of it gave.
func (s *Scrubber) look(text string) remembered {
	if m, ok := s.seen.get(text); ok {
		return m
	}
	clean, findings := s.engine.Scan(text)
	return s.seen.put(text, remembered{clean: clean, findings: findings})
}

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}
