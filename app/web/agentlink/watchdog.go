package agentlink

import (
	"sync"
	"time"
)

// watchdog acts when a connection has been silent for too long: pings of the server count as life.
type watchdog struct {
	after time.Duration
	mu    sync.Mutex
	timer *time.Timer // nil until armed and once stopped
}

func newWatchdog(after time.Duration) *watchdog { return &watchdog{after: after} }

// arm begins to watch.
func (w *watchdog) arm(act func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.after, act)
}

// heard says that the server lives.
func (w *watchdog) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Reset(w.after)
	}
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}
