package agentlink_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
	"gatehouse/app/web/agentlink"
	"gatehouse/db/dbtest"
)

func soon(o *link.Options) { o.PingEvery, o.BeatEvery = 150*time.Millisecond, 100*time.Millisecond }

func quickly(d *agentlink.Deps) { d.Limits.Silence = time.Second }

func (h *hub) queue(t *testing.T, c customer, n int) (ids []string) {
	t.Helper()
	for range n {
		f, err := relay.NewFrame(wire.TypeRunCancel, "", wire.RunCancel{RunID: newID()}, time.Now())
		must(t, err)
		must(t, h.links.Put(t.Context(), c.server, f))
		ids = append(ids, f.ID)
	}
	return ids
}

func (a *agent) cancelsInOrder(t *testing.T, ids []string) {
	t.Helper()
	got := a.frames(wire.TypeRunCancel)
	if len(got) != len(ids) {
		t.Fatalf("%d frames arrived at the server, want %d", len(got), len(ids))
	}
	for i, f := range got {
		if f.ID != ids[i] {
			t.Fatalf("place %d at the server holds another frame", i)
		}
	}
}

// TestLink_halfOpen: the connection says nothing any more, and nobody closes it. Both ends find out by themselves, and
// what was to be said arrives once and in order.
func TestLink_halfOpen(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t), quickly)
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	p := newProxy(t, h.web.URL)
	a.run(p.url(), soon)
	a.up(h)
	p.freeze()
	const n = 1000
	for i := range n {
		a.put(wire.TypeAlert, alert(i))
	}
	ids := h.queue(t, c, 50)
	must(t, h.relay.Nudge(string(c.server)))
	waitFor(t, "the server finds out", func() bool { return !a.client.Connected() })
	waitFor(t, "the hub finds out", func() bool { return h.handler.Count() == 0 })
	p.thaw()
	waitFor(t, "all arrives at the hub", func() bool { return len(h.alerts(t, c)) >= n })
	waitFor(t, "all arrives at the server", func() bool { return len(a.frames(wire.TypeRunCancel)) >= len(ids) })
	waitFor(t, "the server's outbox is empty", a.empty)
	inOrder(t, h.alerts(t, c), n)
	a.cancelsInOrder(t, ids)
}

// TestLink_cutAgainAndAgain breaks the connection at random while both ends talk.
func TestLink_cutAgainAndAgain(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t), quickly)
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	p := newProxy(t, h.web.URL)
	a.run(p.url(), soon)
	stop := make(chan struct{})
	var cutter sync.WaitGroup
	cutter.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(rand.N(60 * time.Millisecond)):
				p.cut()
			}
		}
	})
	const n = 300
	var ids []string
	for i := range n {
		a.put(wire.TypeAlert, alert(i))
		ids = append(ids, h.queue(t, c, 1)...)
		must(t, h.relay.Nudge(string(c.server)))
	}
	time.AfterFunc(2*time.Second, func() { close(stop) })
	cutter.Wait()
	arrived := func() []string { return h.alerts(t, c) }
	waitFor(t, "all arrives at the hub", func() bool { return len(arrived()) >= n })
	waitFor(t, "all arrives at the server", func() bool { return len(a.frames(wire.TypeRunCancel)) >= n })
	waitFor(t, "the server's outbox is empty", a.empty)
	inOrder(t, arrived(), n)
	a.cancelsInOrder(t, ids)
	waitFor(t, "the hub's outbox is empty", func() bool {
		waits, err := h.links.Waiting(t.Context(), c.server, wire.TypeRunCancel)
		must(t, err)
		return !waits
	})
}

func TestLink_secondConnectionReplacesTheFirst(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	first, _ := h.open(t, a, 0)
	second, _ := h.open(t, a, 0)
	answered := make(chan error, 1)
	go func() { answered <- second.echoes() }()
	if got := first.closed(); got != wire.CloseReplaced {
		t.Fatalf("the first was closed with %q", got)
	}
	must(t, <-answered)
	waitFor(t, "somebody is told that two machines have the same keys", func() bool {
		got := h.alerts(t, c)
		return len(got) == 1 && strings.Contains(got[0], "Two machines")
	})
	second.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 1}, alert(0))
	second.acked(1)
	waitFor(t, "one link is left", func() bool { return h.handler.Count() == 1 })
}

// TestLink_givenUpComesLate: a connection that nobody is at any more is let in after the one that agentd uses: nobody is told of a second
// machine.
func TestLink_givenUpComesLate(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	used, _ := h.open(t, a, 0)
	h.open(t, a, 0) // reads nothing more
	if got := used.closed(); got != wire.CloseReplaced {
		t.Fatalf("the one in use was closed with %q", got)
	}
	if got := h.alerts(t, c); len(got) != 0 {
		t.Errorf("somebody was told: %q", got)
	}
}

// TestLink_twoHubs: nothing is sticky. A page at one hub asks a server linked to another; a link to the second hub
// replaces that to the first; a decision made anywhere reaches the server.
func TestLink_twoHubs(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	url := startNATS(t)
	log, buf := logger(t, "hubs")
	var hubs []*hub
	for range 2 {
		r, err := relay.Open(relay.Options{URL: url, Log: log})
		must(t, err)
		t.Cleanup(r.Close)
		hubs = append(hubs, startHubOn(t, d, r, log, buf, func(deps *agentlink.Deps) { deps.Origin = "https://hub.example" }))
	}
	one, two := hubs[0], hubs[1]
	one.servers.Origin = "https://hub.example"
	c := one.newCustomer(t)
	a := one.newAgent(t, c)
	a.run(one.web.URL)
	a.up(two)
	var got string
	must(t, two.relay.Call(t.Context(), string(c.server), wire.MethodEcho, "across", &got))
	sub, err := two.relay.Subscribe(t.Context(), string(c.id))
	must(t, err)
	a.client.Send(wire.TypeChatEvent, wire.RunEvent{Root: "r", N: 1, Event: wire.EventFinal})
	for n := range sub.C {
		if n.Kind == relay.KindRun && n.Run.Root == "r" {
			break
		}
	}
	ids := two.queue(t, c, 1)
	must(t, two.relay.Nudge(string(c.server)))
	waitFor(t, "the frame arrives over the other hub", func() bool { return len(a.frames(wire.TypeRunCancel)) == 1 })
	a.cancelsInOrder(t, ids)
	old, _ := one.open(t, a, 1) // replaces the client, which comes back after a while and replaces this
	if got := old.closed(); got != wire.CloseReplaced {
		t.Fatalf("closed with %q", got)
	}
	a.stop()
	old, _ = one.open(t, a, 1)
	_, _ = two.open(t, a, 1)
	if got := old.closed(); got != wire.CloseReplaced {
		t.Fatalf("the link at the other hub was closed with %q", got)
	}
}

// TestLink_setBack: either side may come back from an older copy of its data; the numbers find together again, and
// nothing is applied twice.
func TestLink_setBack(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	ids := h.queue(t, c, 3)
	a.put(wire.TypeAlert, alert(0), alert(1))
	a.up(h)
	waitFor(t, "both have everything", func() bool {
		waits, err := h.links.Waiting(t.Context(), c.server, wire.TypeRunCancel)
		must(t, err)
		return len(h.alerts(t, c)) == 2 && a.empty() && len(a.frames(wire.TypeRunCancel)) == 3 && !waits
	})
	a.stop()
	waitFor(t, "the hub sees the server go", func() bool { return h.handler.Count() == 0 })

	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := h.db.Pool.Exec(t.Context(), sql, args...)
		must(t, err)
	}
	exec("UPDATE link_out_heads SET seq = 1") // the hub forgot that it ever sent these
	exec("UPDATE link_in_heads SET seq = 0")  // and what it got
	again := h.queue(t, c, 2)
	must(t, h.links.Put(t.Context(), c.server, wire.Frame{ID: ids[2], Type: wire.TypeRunCancel, Time: time.Now(), Body: []byte(`{}`)}))
	a.put(wire.TypeAlert, alert(2))
	a.run(h.web.URL)
	waitFor(t, "what is new arrives", func() bool { return len(h.alerts(t, c)) == 3 && a.empty() && len(a.frames(wire.TypeRunCancel)) == 5 })
	a.stop()
	waitFor(t, "the hub sees the server go", func() bool { return h.handler.Count() == 0 })
	a.cancelsInOrder(t, append(ids, again...))

	must(t, a.setBack())
	a.put(wire.TypeAlert, alert(3))
	last := h.queue(t, c, 1)
	a.run(h.web.URL)
	waitFor(t, "what is new arrives", func() bool { return len(h.alerts(t, c)) == 4 && a.empty() && len(a.frames(wire.TypeRunCancel)) == 6 })
	inOrder(t, h.alerts(t, c), 4)
	a.cancelsInOrder(t, append(append(ids, again...), last...))
}

// TestLink_loudServer: a server that sends without measure is held back and loses nothing; its neighbour does not notice. The
// loud one sends what passes at once and an alert, and then goes on until the neighbour has its answers.
func TestLink_loudServer(t *testing.T) {
	t.Parallel()
	const limit, answers = 1000, 3 // frames a second
	h := startHub(t, dbtest.New(t), func(d *agentlink.Deps) { d.Limits.Frames = limit })
	c := h.newCustomer(t)
	loud, quiet := h.newAgent(t, c), h.newAgent(t, h.newCustomer(t))
	quiet.run(h.web.URL)
	quiet.up(h)
	r, _ := h.open(t, loud, 0)
	begun, answered, sent := time.Now(), make(chan struct{}), make(chan int, 1)
	go func() {
		n := 0
		beat := func() {
			r.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{Time: time.Now()})
			n++
		}
		for range limit {
			beat()
		}
		r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 1}, alert(0))
		for n < 2*limit || open(answered) {
			beat()
		}
		r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 2}, alert(1))
		sent <- n
	}()
	waitFor(t, "what passes at once", func() bool { return len(h.alerts(t, c)) > 0 })
	for range answers {
		must(t, h.relay.Call(t.Context(), quiet.id.ServerID, wire.MethodEcho, "x", nil))
	}
	close(answered)
	n := <-sent
	waitFor(t, "the loud server's last frame", func() bool { return len(h.alerts(t, c)) == 2 })
	least := time.Duration(n-limit) * time.Second / limit
	if took := time.Since(begun); took < least {
		t.Fatalf("%d frames passed in %v, want %v: they were not held back", n, took, least)
	}
}

// open reports whether a channel is not closed yet.
func open(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// TestLink_hubStops: servers are told, and come back to the next hub.
func TestLink_hubStops(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a := h.newAgent(t, h.newCustomer(t))
	r, _ := h.open(t, a, 0)
	closed := make(chan struct{})
	go func() {
		h.handler.Close()
		close(closed)
	}()
	if got := r.closed(); got != "hub stops" {
		t.Fatalf("closed with %q", got)
	}
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("the hub waits for ever")
	}
}
