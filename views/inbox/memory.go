package inbox

import (
	"sync"
	"time"
)

// How much is remembered, and for how long: what an approval asks stays no longer in memory than people need it there.
const (
	remembered  = 4096
	rememberFor = time.Minute
)

// Memory keeps what was made of approvals that wait, so that a page which is loaded again is not made again. Nothing of
// an approval changes while it waits; K must name everything else that V depends on. The zero Memory is ready.
type Memory[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]V
}

// Get finds what was made a moment ago.
func (m *Memory[K, V]) Get(k K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.known[k]
	return v, ok
}

// Put remembers v for a minute at most. When there is too much, all is forgotten.
func (m *Memory[K, V]) Put(k K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) == 0 {
		time.AfterFunc(rememberFor, m.forget)
	}
	if m.known == nil || len(m.known) >= remembered {
		m.known = map[K]V{}
	}
	m.known[k] = v
}

func (m *Memory[K, V]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = nil
}
