package redact

import "sync"

// latelyKept is how many texts an engine remembers as clean. On its way out a text passes several exits within
// milliseconds: what is kept, shown and sent is the same.
const latelyKept = 2048

// latelyMark keeps its fingerprints apart from those of the cache.
const latelyMark = 1 << 61

// frameMark keeps apart what was read as a frame: another text of the same bytes is read more closely.
const frameMark = 1 << 60

// lately is which texts were found clean a moment ago, by fingerprints alone.
type lately struct {
	mu    sync.Mutex
	known []cacheKey // the fingerprint picks the place, and the newest has it; nil until the first
}

func (l *lately) clean(k cacheKey) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known != nil && l.known[k[0]%latelyKept] == k
}

func (l *lately) found(k cacheKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = make([]cacheKey, latelyKept)
	}
	l.known[k[0]%latelyKept] = k
}
