package redact

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Engine finds secrets. It is safe for use by many goroutines.
type Engine struct {
	mu     sync.Mutex // one SetSecrets at a time
	state  atomic.Pointer[state]
	labels *labels
	cache  *cache
	lately lately
}

// state is what a scan uses from its beginning to its end.
type state struct {
	reg   *registry
	rules *rules
	names map[string]bool // marks that stand for known secrets
	calls map[string]bool // what known secrets are called: no rule takes that for one
	gen   uint64          // grows with every change of the secrets
}

// MaxText is how many bytes are scanned at once. What is longer does not leave at all.
const MaxText = 64 << 20

// ErrUnscanned says that a text could not be scanned to its end, so that nothing of it may leave.
var ErrUnscanned = errors.New("text could not be scanned for secrets")

// unscanned stands in place of a text that could not be scanned.
const unscanned = "[REDACTED:unscanned]"

// New makes an engine that knows the rules and no secrets.
func New() *Engine {
	e := &Engine{labels: newLabels(), cache: newCache()}
	e.state.Store(newState(nil, 0))
	return e
}

// NewWith makes an engine that knows the rules and some secrets.
func NewWith(known []Known) *Engine {
	e := New()
	e.SetSecrets(known)
	return e
}

// Fresh is an engine that knows what e knows now, but numbers the values that it finds anew.
func (e *Engine) Fresh() *Engine {
	f := &Engine{labels: newLabels(), cache: newCache()}
	f.state.Store(e.state.Load())
	return f
}

func newState(known []Known, gen uint64) *state {
	s := &state{reg: newRegistry(slices.Clone(known)), rules: allRules(), names: make(map[string]bool, len(known)), calls: make(map[string]bool, len(known)), gen: gen}
	for i, m := range s.reg.marks {
		s.names[m], s.calls[known[i].Name] = true, true
	}
	return s
}

// SetSecrets makes known the secrets to look for, in place of those before. When it returns, every scan that begins
// finds them.
func (e *Engine) SetSecrets(known []Known) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Store(newState(known, e.state.Load().gen+1))
}

// Scan returns text without its secrets, and where they stood. What cannot be scanned is a secret as a whole.
func (e *Engine) Scan(text string) (string, []Finding) {
	out, found, err := e.Check(text)
	if err != nil {
		return unscanned, []Finding{{Kind: "unscanned", End: len(text)}}
	}
	return out, found
}

// Check is Scan for callers that would rather stop than send a mark in place of a whole text: it answers ErrUnscanned.
func (e *Engine) Check(text string) (string, []Finding, error) {
	s := e.state.Load()
	spans, err := s.scanString(text, full)
	if err != nil {
		return "", nil, err
	}
	if len(spans) == 0 {
		return text, nil, nil
	}
	return e.rewrite(s, text, spans), findings(s, spans), nil
}

// Text returns text without its secrets.
func (e *Engine) Text(text string) string {
	out, _ := e.Scan(text)
	return out
}

// texts is memory for the bytes of strings.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// scanString is scan for a string.
func (s *state) scanString(text string, d depth) ([]span, error) {
	buf := texts.Get().(*[]byte)
	*buf = append((*buf)[:0], text...)
	spans, err := s.scan(*buf, d)
	if clear(*buf); cap(*buf) <= arenaKept {
		texts.Put(buf)
	}
	return spans, err
}

// pass reads text once, as closely as d says. It never panics.
func (s *state) pass(text []byte, d depth) (spans []span, err error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("%w: %d bytes", ErrUnscanned, len(text))
	}
	defer func() {
		if p := recover(); p != nil {
			spans, err = nil, fmt.Errorf("%w: internal fault", ErrUnscanned)
		}
	}()
	w := walks.Get().(*walk)
	w.begin(s, len(text))
	if d == registered {
		w.rules = nil
	}
	w.read(&view{text: text}, 0)
	w.shorts(text)
	marks := s.marksIn(text)
	switch d {
	case formed:
		s.rules.formats(text, marks, func(f span) { w.found = append(w.found, f) })
	case full:
		s.rules.all(text, marks, func(f span) {
			if !s.calls[string(text[f.start:f.end])] {
				w.found = append(w.found, f)
			}
		})
	}
	if w.over {
		return nil, fmt.Errorf("%w: it holds too many layers of encoding", ErrUnscanned)
	}
	spans = s.settle(text, marks, withoutChance(text, w.found))
	w.end()
	return spans, nil
}

func (w *walk) begin(s *state, n int) {
	w.reg, w.rules = s.reg, s.rules
	w.window = max(s.reg.longest, 64)
	w.found, w.arena, w.parts = w.found[:0], w.arena[:0], w.parts[:0]
	w.count, w.many = 0, manyViews+n/viewEvery
	clear(w.views)
	w.left, w.over = freeGrowth+maxGrowth*n, false
}

// end gives the walk back for the next scan, unless it has grown large.
func (w *walk) end() {
	if cap(w.arena) > arenaKept {
		w.arena = nil
	}
	if len(w.views) > 4096 {
		w.views = nil
	}
	if clear(w.numbers[:cap(w.numbers)]); cap(w.numbers) > 4096 {
		w.numbers = nil
	}
	clear(w.slab) // it leads to the text
	w.reg, w.rules, w.slab = nil, nil, w.slab[:0]
	walks.Put(w)
}

// Registered counts the known secrets in text and looks for nothing else.
func (e *Engine) Registered(text string) (int, error) {
	spans, err := e.state.Load().scanString(text, registered)
	return len(spans), err
}
