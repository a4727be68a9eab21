package runtime

import (
	"crypto/sha256"
	"fmt"
)

// How often the same call with the same result may stand among the last calls.
const (
	loopWindow = 30
	loopWarn   = 3 // then the model is told
	loopStop   = 6 // then the run is stopped
)

// loopDetector remembers the last calls of a run. It counts each of two calls that take turns, so a ping-pong is a loop, too.
type loopDetector struct{ recent [][sha256.Size]byte }

// count counts a call with its result. The warning, if any, goes to the model behind the result.
func (l *loopDetector) count(tool, args, result string) (warning string, stop bool) {
	key := sha256.Sum256([]byte(tool + "\x00" + args + "\x00" + result))
	l.recent = append(l.recent, key)
	if len(l.recent) > loopWindow {
		l.recent = l.recent[1:]
	}
	n := 0
	for _, k := range l.recent {
		if k == key {
			n++
		}
	}
	if n >= loopWarn {
		warning = fmt.Sprintf("\n\n[Runtime: this is call %d of %s with the same arguments and the same result. "+
			"Another one will not help: answer with what you know, or say what is in the way.]", n, tool)
	}
	return warning, n >= loopStop
}
