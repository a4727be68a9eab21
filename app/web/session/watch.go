package session

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
)

// watchEvery is how often open streams are checked against the store, which sees what other hub processes ended.
const watchEvery = 4 * time.Second

// tokenEvery is how often the API token behind an open stream is checked.
const tokenEvery = 30 * time.Second

// watch closes streams whose sign-in ended: at once for what this process ends, within watchEvery for the rest. One
// query serves all open streams, and it runs only while there are any.
type watch struct {
	desk  signin.Desk
	every time.Duration

	mu   sync.Mutex
	open map[string]map[*Watcher]struct{} // by sign-in id
	stop context.CancelFunc               // of the loop; nil while there is nothing to watch
}

// Watcher is one open stream's tie to its sign-in.
type Watcher struct {
	all   *watch
	id    string
	right account.Right // that an API token's person must have; empty: none is asked for
	onEnd func()
	stop  context.CancelFunc // of recheck; nil for sign-ins
	ended atomic.Bool
}

// Ended says whether the sign-in behind the stream is over.
func (r *Watcher) Ended() bool { return r.ended.Load() }

// Stop unties the stream.
func (r *Watcher) Stop() {
	if r.stop != nil {
		r.stop()
	}
	if r.all != nil {
		r.all.remove(r)
	}
}

// Watch calls onEnd once the sign-in or the API token of the request ends, wherever that happens. A request without
// either is not watched.
func Watch(c echo.Context, onEnd func()) *Watcher {
	m, _ := c.Get(managerKey).(*Manager)
	r := &Watcher{id: Of(c).SigninID, onEnd: onEnd}
	r.right, _ = c.Get(rightKey).(account.Right)
	switch {
	case m == nil:
	case Of(c).Method == ByToken:
		ctx, stop := context.WithCancel(c.Request().Context())
		r.stop = stop
		go r.recheck(ctx, m, bearer(c))
	case r.id != "":
		r.all = m.watch
		r.all.add(r)
	}
	return r
}

// recheck asks for an API token every tokenEvery. A store that does not answer ends nothing.
func (r *Watcher) recheck(ctx context.Context, m *Manager, token string) {
	t := time.NewTicker(m.tokenEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			b, err := m.tokens.Authenticate(ctx, token)
			gone := err != nil && fault.Of(err).Kind == fault.Unauthorized || err == nil && !r.may(ofBearer(b))
			if ctx.Err() == nil && gone {
				r.end()
				return
			}
		}
	}
}

// may says whether the person of a token still has the right that the stream needs.
func (r *Watcher) may(who Who) bool { return r.right == "" || who.Rights().May(r.right) }

// end tells the stream, once.
func (r *Watcher) end() {
	if !r.ended.Swap(true) {
		r.onEnd()
	}
}

func newWatch(desk signin.Desk) *watch {
	return &watch{desk: desk, every: watchEvery, open: map[string]map[*Watcher]struct{}{}}
}

func (w *watch) add(r *Watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open[r.id] == nil {
		w.open[r.id] = map[*Watcher]struct{}{}
	}
	w.open[r.id][r] = struct{}{}
	if w.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop = stop
		go w.loop(ctx)
	}
}

func (w *watch) remove(r *Watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open[r.id], r)
	if len(w.open[r.id]) == 0 {
		delete(w.open, r.id)
	}
	if len(w.open) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// end closes every stream of the sign-ins.
func (w *watch) end(ids ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		for r := range w.open[id] {
			r.end()
		}
	}
}

func (w *watch) loop(ctx context.Context) {
	t := time.NewTicker(w.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			w.check(ctx)
		}
	}
}

// check closes the streams whose sign-ins are no longer live. A store that does not answer closes nothing: the next
// request of the page is refused anyway, and the next check comes soon.
func (w *watch) check(ctx context.Context) {
	ids := w.ids()
	alive, err := w.desk.Store.Alive(ctx, ids, w.desk.Now().UTC())
	if err != nil {
		return
	}
	live := make(map[string]bool, len(alive))
	for _, id := range alive {
		live[id] = true
	}
	for _, id := range ids {
		if !live[id] {
			_ = w.desk.Store.End(ctx, id) // so that this process forgets it too; memory runs out by itself in a moment
			w.end(id)
		}
	}
}

func (w *watch) ids() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.open))
	for id := range w.open {
		ids = append(ids, id)
	}
	return ids
}
