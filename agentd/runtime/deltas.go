package runtime

import (
	"strings"
	"sync"
	"time"

	"gatehouse/agentd/redact"
)

// deltaInterval is how long pieces of text are gathered: the first one leaves at once, the others at most this often.
const deltaInterval = 20 * time.Millisecond

// deltaBuffer joins pieces of text that arrive faster than anyone reads, and redacts across their borders: an unfinished word
// waits for its end.
type deltaBuffer struct {
	mu       sync.Mutex
	redactor *redact.Stream
	emit     func(string)
	pending  strings.Builder
	timer    *time.Timer // nil while nothing left lately
	ended    bool
}

func (b *deltaBuffer) add(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending.WriteString(s)
	if b.timer == nil && !b.ended && b.flush() {
		b.timer = time.AfterFunc(deltaInterval, b.flushTick)
	}
}

func (b *deltaBuffer) flushTick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.ended:
	case b.pending.Len() == 0:
		b.timer = nil
	default:
		b.flush()
		b.timer.Reset(deltaInterval)
	}
}

// end sends what is pending. Nothing is sent afterwards.
func (b *deltaBuffer) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.timer != nil {
		b.timer.Stop()
	}
	b.flush()
	b.emitText(b.redactor.Flush())
}

// flush reports whether anything could be sent.
func (b *deltaBuffer) flush() bool {
	text := b.pending.String()
	b.pending.Reset()
	return b.emitText(b.redactor.Write(text))
}

func (b *deltaBuffer) emitText(text string) bool {
	if text != "" {
		b.emit(text)
	}
	return text != ""
}
