package shell

import (
	"bytes"
	"sync"
)

// output keeps what a command prints, up to a limit at which it says so once.
type output struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	max  int
	over func()
}

// Write never fails: a command must not learn of the limit by a broken pipe before it is stopped.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	room := o.max - o.buf.Len()
	if len(p) > room {
		o.buf.Write(p[:room])
		if o.over != nil {
			o.over()
			o.over = nil
		}
		return len(p), nil
	}
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
