package recent

import (
	"sync"
	"time"
)

// most bounds the memory: when so many answers are known, all are forgotten.
const most = 10_000

// Answers are answers to questions of one kind that were read a moment ago. The zero value knows none; many may use it
// at once.
type Answers[K comparable, V any] struct {
	mu     sync.Mutex
	known  map[K]answer[V]
	forgot int // counts what was forgotten: an answer that was asked for before is not kept after
}

type answer[V any] struct {
	value V
	read  time.Time
}

// Read gives the answer to k that was read less than life before now, or else asks for it and remembers it. An error is
// never remembered.
func (a *Answers[K, V]) Read(k K, life time.Duration, now time.Time, ask func() (V, error)) (V, error) {
	v, forgot, ok := a.find(k, life, now)
	if ok {
		return v, nil
	}
	v, err := ask()
	if err == nil {
		a.keep(k, answer[V]{v, now}, forgot)
	}
	return v, err
}

// Forget forgets every answer, and those that are being asked for.
func (a *Answers[K, V]) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.forgot++
	a.known = nil
}

func (a *Answers[K, V]) find(k K, life time.Duration, now time.Time) (v V, forgot int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.known[k]
	return one.value, a.forgot, ok && now.Sub(one.read).Abs() < life
}

func (a *Answers[K, V]) keep(k K, one answer[V], forgot int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if forgot != a.forgot {
		return
	}
	if a.known == nil || len(a.known) >= most {
		a.known = map[K]answer[V]{}
	}
	a.known[k] = one
}
