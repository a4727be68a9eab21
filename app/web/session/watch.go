package session

import (
	"context"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/signin"
)

// watchEvery is how often open streams are checked against the store, which sees what other hub processes ended.
const watchEvery = 4 * time.Second

// watch closes streams whose sign-in ended: at once for what this process ends, within watchEvery for the rest. One
// query serves all open streams, and it runs only while there are any.
type watch struct {
	desk  signin.Desk
	every time.Duration

	mu   sync.Mutex
	open map[string]map[*watcher]struct{} // by sign-in id
	stop context.CancelFunc               // of the loop; nil while there is nothing to watch
}

// watcher is one open stream.
type watcher struct{ cancel context.CancelFunc }

func newWatch(desk signin.Desk) *watch {
	return &watch{desk: desk, every: watchEvery, open: map[string]map[*watcher]struct{}{}}
}

// While returns a context that ends with the request or with its sign-in. Call done when the stream is over.
func (m *Manager) While(c echo.Context) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(c.Request().Context())
	id := Of(c).SigninID
	if id == "" {
		return ctx, cancel
	}
	w := &watcher{cancel}
	m.watch.add(id, w)
	return ctx, func() {
		m.watch.remove(id, w)
		cancel()
	}
}

func (w *watch) add(id string, r *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open[id] == nil {
		w.open[id] = map[*watcher]struct{}{}
	}
	w.open[id][r] = struct{}{}
	if w.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop = stop
		go w.loop(ctx)
	}
}

func (w *watch) remove(id string, r *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open[id], r)
	if len(w.open[id]) == 0 {
		delete(w.open, id)
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
			r.cancel()
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
