package redact

import (
	"sync"
	"sync/atomic"
)

// Known is a secret of the vault. Names are shown in place of values.
type Known struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Finding is a stretch of text that may not leave. Start and End are byte offsets in the text that was scanned.
type Finding struct {
	Kind  string `json:"kind"` // "secret" for known ones, else the kind of credential
	Name  string `json:"name"` // of a known secret
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// current is the engine of this process. Without another it knows no secrets but all rules: no exit is ever open.
var current atomic.Pointer[Engine]

// first is the engine of a process that was given none.
var first = sync.OnceValue(New)

// Use makes e the engine of this process. What is being scanned meanwhile is finished with the one before.
func Use(e *Engine) { current.Store(e) }

// Current is the engine of this process.
func Current() *Engine {
	if e := current.Load(); e != nil {
		return e
	}
	return first()
}

// Bytes returns b as it may leave the server. It never changes b in place. JSON stays JSON.
func Bytes(b []byte) []byte { return Current().Bytes(b) }

// Frame is Bytes for what this program has made and shaped itself: frames to the hub, events and receipts.
func Frame(b []byte) []byte { return Current().Frame(b) }

// JSON is Bytes for the arguments of calls, which stand in many requests: what was seen before costs next to nothing.
func JSON(s string) string { return Current().JSON(s) }

// Text is Bytes for strings that are not JSON.
func Text(s string) string { return Current().Text(s) }

// Texts returns the text parts of one request or conversation as they may leave, in order. It also finds what was cut in
// two at the border of two parts. Parts that were seen before cost next to nothing.
func Texts(parts []string) []string { return Current().Texts(parts) }
