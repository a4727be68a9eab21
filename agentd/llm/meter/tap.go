package meter

import "bytes"

// What a Tap holds back at most: one event, or the whole of an answer that is no stream. What is longer passes unread.
const (
	maxEvent = 1 << 20
	maxWhole = 16 << 20
)

var word = []byte(`"usage"`)

// Tap sees an answer pass by. It is an io.Writer that never fails.
type Tap struct {
	stream bool
	buf    []byte
	lost   bool // what is being read is longer than may be held
	usage  Usage
	found  bool
}

// NewTap makes a Tap for an answer; stream says that it is a stream of events.
func NewTap(stream bool) *Tap { return &Tap{stream: stream} }

// Write sees the next bytes.
func (t *Tap) Write(p []byte) (int, error) {
	n := len(p)
	if !t.stream {
		t.hold(p, maxWhole)
		return n, nil
	}
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			t.hold(p, maxEvent)
			return n, nil
		}
		t.hold(p[:end], maxEvent)
		t.line()
		p = p[end+1:]
	}
}

func (t *Tap) hold(p []byte, most int) {
	if t.lost = t.lost || len(t.buf)+len(p) > most; !t.lost {
		t.buf = append(t.buf, p...)
	}
}

// line reads one line of a stream of events.
func (t *Tap) line() {
	if data, ok := bytes.CutPrefix(t.buf, []byte("data:")); ok && !t.lost {
		t.read(data)
	}
	t.buf, t.lost = t.buf[:0], false
}

func (t *Tap) read(b []byte) {
	if !bytes.Contains(b, word) {
		return
	}
	if u, ok := in(b); ok {
		t.usage, t.found = t.usage.later(u), true
	}
}

// Used is what the answer said that it used; false when it said nothing. To be asked once, when it has passed.
func (t *Tap) Used() (Usage, bool) {
	if t.stream {
		t.line()
	} else if !t.lost {
		t.read(t.buf)
	}
	return t.usage, t.found
}
