package scrub

import (
	"sync"

	"gatehouse/agentd/redact"
)

// What one generation of each memory takes at most, and about what an entry takes besides its texts, in bytes.
const (
	maxTexts = 16 << 20
	maxSeams = 4 << 20
	perEntry = 128
)

// remembered is what a scan gave.
type remembered struct {
	id       uint64 // of the text, never given twice; 0 for one that was not kept
	clean    string
	findings []redact.Finding
}

// memory keeps the results of scans by the hash of the text, and the seams that were clean by the texts around them.
type memory struct {
	mu    sync.Mutex
	last  uint64 // id
	texts generations[remembered]
	seams generations[struct{}]
}

func newMemory() *memory {
	return &memory{texts: newGenerations[remembered](maxTexts), seams: newGenerations[struct{}](maxSeams)}
}

func (m *memory) get(text string) (remembered, bool) {
	key := digestOf(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.texts.get(key, remembered.size)
	if len(r.findings) == 0 {
		r.clean = text // the caller's own: that is not kept a second time
	}
	return r, ok
}

// put keeps what a scan of text gave and gives it an id. What changed without a finding could not be given back.
func (m *memory) put(text string, r remembered) remembered {
	if len(r.findings) == 0 && r.clean != text {
		return r
	}
	key, kept := digestOf(text), r
	if len(r.findings) == 0 {
		kept.clean = ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	r.id, kept.id = m.last, m.last
	m.texts.put(key, kept, kept.size())
	return r
}

func (r remembered) size() int { return len(r.clean) + 64*len(r.findings) }
