package scrub

import (
	"crypto/sha256"
	"sync"

	"gatehouse/agentd/redact"
)

// maxRemembered bounds one generation of the memory, in bytes.
const maxRemembered = 16 << 20

// perEntry is about what an entry takes besides its texts.
const perEntry = 128

// remembered is what a scan gave.
type remembered struct {
	clean    string
	findings []redact.Finding
}

// memory keeps the results of scans by the hash of the text. It has two generations: when the young one is full, it
// becomes the old one, and what nobody asked for since is forgotten.
type memory struct {
	mu         sync.Mutex
	young, old map[[sha256.Size]byte]remembered
	size       int // of the young one
}

func newMemory() *memory {
	return &memory{young: map[[sha256.Size]byte]remembered{}}
}

func (m *memory) get(text string) (remembered, bool) {
	key := sha256.Sum256([]byte(text))
	m.mu.Lock()
	defer m.mu.Unlock()
	if r, ok := m.young[key]; ok {
		return m.of(text, r), true
	}
	r, ok := m.old[key]
	if ok {
		m.keep(key, r)
	}
	return m.of(text, r), ok
}

// of gives back the caller's own text where it was clean: that is not kept a second time.
func (m *memory) of(text string, r remembered) remembered {
	if len(r.findings) == 0 {
		r.clean = text
	}
	return r
}

func (m *memory) put(text string, r remembered) {
	if len(r.findings) == 0 && r.clean != text {
		return // changed without a finding: nothing that could be given back
	}
	if len(r.findings) == 0 {
		r.clean = ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(sha256.Sum256([]byte(text)), r)
}

func (m *memory) keep(key [sha256.Size]byte, r remembered) {
	if m.size > maxRemembered {
		m.old, m.young, m.size = m.young, map[[sha256.Size]byte]remembered{}, 0
	}
	m.young[key] = r
	m.size += perEntry + len(r.clean) + 64*len(r.findings)
}
