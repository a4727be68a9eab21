package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"strconv"
	"sync"
)

// labels number the values of a kind, so that who reads marks can tell whether two stand for the same. Values are
// remembered as keyed hashes only.
type labels struct {
	key  [32]byte
	mu   sync.Mutex
	seen map[string]map[[16]byte]int // by kind
	next map[string]int
}

// maxLabels bounds the values of a kind that are remembered. Numbers are never given twice.
const maxLabels = 4096

func newLabels() *labels {
	l := &labels{seen: map[string]map[[16]byte]int{}, next: map[string]int{}}
	_, _ = rand.Read(l.key[:]) // never fails: it ends the program instead
	return l
}

// mark is what stands in place of value.
func (l *labels) mark(kind, value string) string {
	if n := l.number(kind, value); n > 1 {
		return "[REDACTED:" + kind + "#" + strconv.Itoa(n) + "]"
	}
	return "[REDACTED:" + kind + "]"
}

func (l *labels) number(kind, value string) int {
	h := hmac.New(sha256.New, l.key[:])
	_, _ = h.Write([]byte(value)) // a hash takes everything
	id := [16]byte(h.Sum(nil))
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.seen[kind][id]; n > 0 {
		return n
	}
	if l.seen[kind] == nil || len(l.seen[kind]) >= maxLabels {
		l.seen[kind] = map[[16]byte]int{}
	}
	l.next[kind]++
	l.seen[kind][id] = l.next[kind]
	return l.next[kind]
}
