package meter

import (
	"bytes"
	"strings"
)

// What a Tap holds back at most: one event, or the whole of an answer that is no stream. What is longer passes unread.
const (
	maxEvent = 1 << 20
	maxWhole = 16 << 20
	maxText  = 1 << 20 // of the model's words; more are counted by their length
)

var word = []byte(`"usage"`)

// Tap sees an answer pass by. It is an io.Writer that never fails.
type Tap struct {
	stream bool
	buf    []byte
	lost   bool // what is being read is longer than may be held
	usage  Usage
	known  knowledge
	text   strings.Builder
	tally  tally
	got    int64 // bytes of the model's words
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
	if t.lost = t.lost || len(t.buf)+len(p) > most; t.lost {
		t.got += int64(len(p))
		return
	}
	t.buf = append(t.buf, p...)
}

// line reads one line of a stream of events.
func (t *Tap) line() {
	if data, ok := bytes.CutPrefix(t.buf, []byte("data:")); ok && !t.lost {
		t.read(data)
	}
	t.buf, t.lost = t.buf[:0], false
}

func (t *Tap) read(b []byte) {
	if bytes.Contains(b, word) {
		u, known := in(b)
		t.usage, t.known = t.usage.later(u), max(t.known, known)
	}
	if t.known < all { // else nobody asks for the words
		textIn(b, t.say)
	}
}

// say takes the next words of the model.
func (t *Tap) say(s string) {
	if t.got += int64(len(s)); t.text.Len()+len(s) <= maxText {
		t.text.WriteString(s)
	}
}

// SoFar is what the answer has used as far as it has passed, without what nobody has said about the request. Its words are counted
// by the tokenizer once that is loaded, else by their length.
func (t *Tap) SoFar() Usage {
	u, known := t.usage, t.known
	if !t.stream && !t.lost && bytes.HasSuffix(bytes.TrimRight(t.buf, " \r\n"), []byte("}")) { // it may be whole
		u, known = in(t.buf)
	}
	if u.Estimated = known < all; u.Estimated {
		u.EstOutput = used(t.tally.count(t.text.String(), loaded.Load()) + fromBytes(t.got-int64(t.text.Len())))
		u.Output = u.EstOutput
	}
	return u
}

// Used is what the answer used. What it did not say is estimated, of its words and of the request, whose text is asked for
// only then. To be asked once, when the answer has passed, however it ended.
func (t *Tap) Used(request func() string) Usage {
	if t.stream {
		t.line()
	} else if !t.lost {
		t.read(t.buf)
	}
	u := t.usage
	if t.known == nothing {
		u.EstInput = Estimate(request())
		u.Input = u.EstInput
	}
	if u.Estimated = t.known < all; u.Estimated {
		over := t.got - int64(t.text.Len())
		u.EstOutput = used(Estimate(t.text.String()) + fromBytes(over))
		u.Output = u.EstOutput
	}
	return u
}
