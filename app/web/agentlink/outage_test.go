package agentlink_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/web/agentlink"
	"gatehouse/db/dbtest"
)

// failing is a database that is away for the first so many frames.
type failing struct {
	agentlink.Links
	left atomic.Int64
}

var errAway = errors.New("the database is away")

func (f *failing) Apply(ctx context.Context, id server.ID, epoch int64, fr wire.Frame, now time.Time, fn func(context.Context) error) (relay.Applied, error) {
	if f.left.Add(-1) >= 0 {
		return relay.Applied{}, errAway
	}
	return f.Links.Apply(ctx, id, epoch, fr, now, fn)
}

func (f *failing) Frames(ctx context.Context, id server.ID, after int64, limit int) ([]wire.Frame, error) {
	if f.left.Load() > 0 {
		return nil, errAway
	}
	return f.Links.Frames(ctx, id, after, limit)
}

// TestLink_databaseAway: nothing is acknowledged that was not kept, and the link goes on by itself.
func TestLink_databaseAway(t *testing.T) {
	t.Parallel()
	away := &failing{}
	away.left.Store(4)
	h := startHub(t, dbtest.New(t), func(d *agentlink.Deps) {
		away.Links = d.Links
		d.Links = away
	})
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	ids := h.queue(t, c, 3)
	for i := range 10 {
		a.put(wire.TypeAlert, alert(i))
	}
	a.run(h.web.URL)
	waitFor(t, "all arrives at both ends", func() bool { return a.empty() && len(a.frames(wire.TypeRunCancel)) == 3 })
	inOrder(t, h.alerts(t, c), 10)
	a.cancelsInOrder(t, ids)
	if h.handler.Count() != 1 || h.log.count("link is down") != 0 {
		t.Fatal("the link broke")
	}
}

// TestLink_leavesNothingBehind runs before the parallel tests, alone.
func TestLink_leavesNothingBehind(t *testing.T) {
	h := startHub(t, dbtest.New(t), quickly)
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	must(t, h.db.Pool.Ping(t.Context()))
	h.relay.Linked(t.Context(), string(c.server)) // the first question makes the one place where answers arrive
	before := goleak.IgnoreCurrent()
	p := newProxy(t, h.web.URL)
	r := a.runtime()
	for range 5 {
		a.run(p.url(), soon)
		a.up(h)
		run := newID()
		r.post(wire.ChatMessage{RunID: run})
		ctx, cancel := context.WithCancel(t.Context())
		s, err := h.chats.Events(ctx, c.id, run, 0)
		must(t, err)
		r.happen(run, wire.EventDelta)
		<-s.C
		p.cut()
		waitFor(t, "the link is up again", a.client.Connected)
		cancel()
		for range s.C { // until the stream has ended
		}
		a.stop()
		waitFor(t, "the hub sees the server go", func() bool { return h.handler.Count() == 0 })
	}
	h.handler.Close()
	_ = p.listen.Close()
	p.cut()
	http.DefaultClient.CloseIdleConnections()
	h.db.Pool.Reset() // when a write was slow, pgx reads from its connection in a goroutine until that is used again or closed
	usual := []goleak.Option{
		before, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"),
		goleak.IgnoreAnyFunction("net/http.(*Server).Serve"), goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"),
	}
	left := goleak.Find(usual...)
	for end := time.Now().Add(patience); left != nil && time.Now().Before(end); left = goleak.Find(usual...) { // each waits a moment
	}
	if left != nil {
		t.Error(left)
	}
}
