package agentlink_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/web/agentlink"
	"gatehouse/db/dbtest"
)

// runs is a runtime as far as the link sees it: runs with numbered events.
type runs struct {
	a    *agent
	drop func() bool // says whether an event is lost on its way

	mu     sync.Mutex
	events map[string][]wire.RunEvent
	posted []wire.ChatMessage
}

func (a *agent) runtime() *runs {
	r := &runs{a: a, drop: func() bool { return false }, events: map[string][]wire.RunEvent{}}
	a.answers(r.rpc)
	return r
}

func (r *runs) rpc(_ context.Context, m wire.Method, p json.RawMessage) (any, error) {
	switch m {
	case wire.MethodChatPost:
		var msg wire.ChatMessage
		if err := json.Unmarshal(p, &msg); err != nil {
			return nil, err
		}
		r.post(msg)
		return wire.ChatAck{RunID: msg.RunID, State: wire.RunQueued}, nil
	case wire.MethodRunEvents:
		var q wire.EventsParams
		if err := json.Unmarshal(p, &q); err != nil {
			return nil, err
		}
		return r.after(q)
	case wire.MethodRunCancel:
		var stop wire.RunCancel
		if err := json.Unmarshal(p, &stop); err != nil {
			return nil, err
		}
		if _, err := r.after(wire.EventsParams{RunID: stop.RunID}); err != nil {
			return nil, err
		}
		return wire.ChatAck{State: wire.RunStopped}, nil
	}
	return nil, &wire.RPCError{Code: "not_found", Text: "There is no such thing."}
}

func (r *runs) post(msg wire.ChatMessage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posted = append(r.posted, msg)
	if r.events[msg.RunID] == nil {
		r.events[msg.RunID] = []wire.RunEvent{}
	}
}

func (r *runs) after(q wire.EventsParams) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, known := r.events[q.RunID]
	if !known {
		return nil, &wire.RPCError{Code: "not_found", Text: "There is no such run."}
	}
	res := wire.EventsResult{Last: int64(len(all)), State: wire.RunRunning}
	for _, ev := range all {
		if ev.N > q.From {
			res.Items = append(res.Items, ev)
		}
		if ev.Event == wire.EventFinal {
			res.State = wire.RunDone
		}
	}
	return res, nil
}

// happen records the next event of a run, and sends it unless it is lost.
func (r *runs) happen(run string, e wire.Event) {
	r.mu.Lock()
	n := int64(len(r.events[run]) + 1)
	data, _ := json.Marshal(wire.DeltaData{N: n, RunID: run, Text: fmt.Sprintf("word %d ", n)}) // plain fields
	ev := wire.RunEvent{Root: run, N: n, Event: e, Data: data}
	r.events[run] = append(r.events[run], ev)
	r.mu.Unlock()
	if !r.drop() && r.a.client != nil {
		r.a.client.Send(wire.TypeChatEvent, ev)
	}
}

// whole reads a stream to its end and checks that nothing is missing and nothing comes twice.
func whole(t *testing.T, s *chat.Stream, from, to int64) {
	t.Helper()
	limit := time.After(patience)
	for want := from + 1; ; {
		select {
		case <-limit:
			t.Fatalf("the stream stands before event %d of %d", want, to)
		case ev, ok := <-s.C:
			switch {
			case !ok && s.Err() != nil:
				t.Fatalf("the stream ended: %v", s.Err())
			case !ok && want != to+1:
				t.Fatalf("the stream ended before event %d of %d", want, to)
			case !ok:
				return
			case ev.Event == wire.EventQueued:
			case ev.N != want:
				t.Fatalf("event %d came instead of %d", ev.N, want)
			default:
				want++
			}
		}
	}
}

func TestChat_send(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r := a.runtime()
	a.run(h.web.URL)
	a.up(h)
	sent, err := h.chats.Send(t.Context(), c.id, c.origin(), chat.Message{Text: " How full is the disk? zzsecretchat "})
	must(t, err)
	if sent.Queued || len(r.posted) != 1 {
		t.Fatalf("queued %v, posted %d", sent.Queued, len(r.posted))
	}
	got := r.posted[0]
	if got.RunID != sent.RunID || got.SessionID != sent.SessionID || got.Agent != "dispatcher" || got.Text != "How full is the disk? zzsecretchat" || got.From != c.origin() {
		t.Fatalf("posted %+v", got)
	}
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Fatalf("the hub keeps the conversation in %v", found)
	}
	_, err = h.chats.Send(t.Context(), c.id, c.origin(), chat.Message{Text: "  "})
	if fault.Of(err).Kind != fault.Invalid {
		t.Fatalf("an empty message: %v", err)
	}
	stopped, err := h.chats.Cancel(t.Context(), c.id, c.origin(), sent.RunID)
	must(t, err)
	if stopped.Queued || stopped.State != wire.RunStopped {
		t.Fatalf("cancelled: %+v", stopped)
	}
}

// TestChat_again: one message has one run, whether its first try reached the server whose answer was lost, waits in the
// outbox, or both. The key is worth nothing to anybody else, and nothing with other words.
func TestChat_again(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c, other := h.newCustomer(t), h.newCustomer(t)
	a := h.newAgent(t, c)
	h.newAgent(t, other)
	r := a.runtime()
	m := chat.Message{Text: "zzsecretchat order flour", Once: "zzsecretkey"}
	send := func(of customer, from wire.Origin, m chat.Message) chat.Sent {
		t.Helper()
		sent, err := h.chats.Send(t.Context(), of.id, from, m)
		must(t, err)
		return sent
	}
	first := send(c, c.origin(), m) // the server is away
	if again := send(c, c.origin(), m); !first.Queued || again != first {
		t.Fatalf("sent %+v, and again %+v", first, again)
	}
	a.run(h.web.URL)
	a.up(h)
	ctx, lose := context.WithCancel(t.Context())
	lost := make(chan struct{})
	a.answers(func(ctx context.Context, m wire.Method, p json.RawMessage) (any, error) {
		defer func() { lose(); <-lost }()
		return r.rpc(ctx, m, p)
	})
	next := m
	next.Once = "next"
	if _, err := h.chats.Send(ctx, c.id, c.origin(), next); err == nil {
		t.Error("the answer was not lost")
	}
	close(lost)
	a.answers(r.rpc)
	seen := map[string]bool{first.RunID: true, r.posted[0].RunID: true}
	if again := send(c, c.origin(), next); again.RunID != r.posted[0].RunID || again.SessionID != r.posted[0].SessionID {
		t.Fatalf("the server got %+v, and again as %+v", r.posted[0], again)
	}
	colleague, words, talk := c.origin(), m, m
	colleague.UserID, words.Text, talk.SessionID = newID(), "order eggs", newID()
	for _, sent := range []chat.Sent{send(c, colleague, m), send(other, c.origin(), m), send(c, c.origin(), words), send(c, c.origin(), talk)} {
		if seen[sent.RunID] {
			t.Errorf("another message has the run of one that was sent before: %+v", sent)
		}
		seen[sent.RunID] = true
	}
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Errorf("the hub keeps the conversation in %v", found)
	}
}

func TestChat_whileAway(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r := a.runtime()
	sent, err := h.chats.Send(t.Context(), c.id, c.origin(), chat.Message{Text: "zzsecretchat"})
	must(t, err)
	stop, err := h.chats.Cancel(t.Context(), c.id, c.origin(), sent.RunID)
	must(t, err)
	if !sent.Queued || !stop.Queued {
		t.Fatalf("queued: %v and %v", sent.Queued, stop.Queued)
	}
	if found := secrets(t, h.db, "zzsecret"); len(found) != 0 {
		t.Fatalf("the waiting message can be read in %v", found)
	}
	_, err = h.chats.Sessions(t.Context(), c.id, wire.ListParams{})
	wantErr(t, err, relay.ErrAway)

	s, err := h.chats.Events(t.Context(), c.id, sent.RunID, 0)
	must(t, err)
	if ev := <-s.C; ev.Event != wire.EventQueued || ev.N != 0 {
		t.Fatalf("the reader got %s %d first", ev.Event, ev.N)
	}
	a.mu.Lock()
	a.fail = func(f wire.Frame) error { // a server knows a run before it acknowledges the message
		var msg wire.ChatMessage
		if f.Type == wire.TypeChatMessage && json.Unmarshal(f.Body, &msg) == nil {
			r.post(msg)
		}
		return nil
	}
	a.mu.Unlock()
	a.run(h.web.URL)
	waitFor(t, "message and cancellation arrive", func() bool {
		return len(a.frames(wire.TypeChatMessage)) == 1 && len(a.frames(wire.TypeRunCancel)) == 1
	})
	var msg wire.ChatMessage
	must(t, json.Unmarshal(a.frames(wire.TypeChatMessage)[0].Body, &msg))
	if msg.Text != "zzsecretchat" || msg.RunID != sent.RunID || msg.From.Email != c.email {
		t.Fatalf("it arrived as %+v", msg)
	}
	for range 5 {
		r.happen(sent.RunID, wire.EventDelta)
	}
	r.happen(sent.RunID, wire.EventFinal)
	whole(t, s, 0, 6)
}

// TestCancel_notTakenYet: a server that answers, and cannot take the message that waits for it, knows no such run. The stop
// waits behind the message.
func TestCancel_notTakenYet(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.runtime()
	sent, err := h.chats.Send(t.Context(), c.id, c.origin(), chat.Message{Text: "order flour for a year"})
	must(t, err)
	var room atomic.Bool
	a.mu.Lock()
	a.fail = func(wire.Frame) error {
		if room.Load() {
			return nil
		}
		return errors.New("the disk is full")
	}
	a.mu.Unlock()
	a.run(h.web.URL)
	a.up(h)
	stop, err := h.chats.Cancel(t.Context(), c.id, c.origin(), sent.RunID)
	must(t, err)
	if !stop.Queued {
		t.Fatalf("the stop: %+v", stop)
	}
	room.Store(true)
	waitFor(t, "the stop arrives", func() bool { return len(a.frames(wire.TypeRunCancel)) == 1 })
	if n := len(a.frames(wire.TypeChatMessage)); n != 1 {
		t.Errorf("%d messages came before it", n)
	}
}

func TestEvents_unknownRun(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c, other := h.newCustomer(t), h.newCustomer(t)
	a, b := h.newAgent(t, c), h.newAgent(t, other)
	ra, rb := a.runtime(), b.runtime()
	a.run(h.web.URL)
	b.run(h.web.URL)
	a.up(h)
	b.up(h)
	run := newID()
	rb.post(wire.ChatMessage{RunID: run})
	_, err := h.chats.Events(t.Context(), c.id, run, 0)
	if fault.Of(err).Kind != fault.NotFound {
		t.Fatalf("another customer's run: %v", err)
	}
	ra.post(wire.ChatMessage{RunID: run}) // the same id on this server is another run
	s, err := h.chats.Events(t.Context(), c.id, run, 0)
	must(t, err)
	rb.happen(run, wire.EventDelta)
	ra.happen(run, wire.EventFinal)
	whole(t, s, 0, 1)
}

// TestEvents_lossAndBreaks loses events, breaks the connection and reads with several readers, who all get everything.
func TestEvents_lossAndBreaks(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t), quickly)
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r := a.runtime()
	r.drop = func() bool { return rand.N(10) == 0 }
	p := newProxy(t, h.web.URL)
	a.run(p.url(), soon)
	a.up(h)
	run := newID()
	r.post(wire.ChatMessage{RunID: run})
	const n = 2000
	var readers sync.WaitGroup
	for _, from := range []int64{0, 0, 500} {
		s, err := h.chats.Events(t.Context(), c.id, run, from)
		must(t, err)
		readers.Go(func() { whole(t, s, from, n) })
	}
	for i := 1; i < n; i++ {
		r.happen(run, wire.EventDelta)
		if i%300 == 0 {
			waitFor(t, "there is a link to cut", a.client.Connected)
			p.cut()
		}
	}
	waitFor(t, "the link is up again", a.client.Connected)
	r.drop = func() bool { return false }
	r.happen(run, wire.EventFinal)
	readers.Wait()
	s, err := h.chats.Events(t.Context(), c.id, run, n-3)
	must(t, err)
	whole(t, s, n-3, n)
}

// TestEvents_slowReader: a reader that does not keep up is dropped by the live traffic, holds up nobody, and has missed
// nothing when it goes on.
func TestEvents_slowReader(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r := a.runtime()
	a.run(h.web.URL)
	a.up(h)
	run := newID()
	r.post(wire.ChatMessage{RunID: run})
	slow, err := h.chats.Events(t.Context(), c.id, run, 0)
	must(t, err)
	page, err := h.relay.Subscribe(t.Context(), string(c.id))
	must(t, err)
	const n = 3000
	for range n - 1 {
		r.happen(run, wire.EventDelta)
	}
	r.happen(run, wire.EventFinal)
	waitFor(t, "the page that does not read is dropped", page.Lost)
	h.patiently(t, c, wire.MethodEcho, "x", nil) // neither of the two reads: were the link held up by them, it would be for ever
	whole(t, slow, 0, n)
}

func TestEvents_readerLeaves(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r := a.runtime()
	a.run(h.web.URL)
	a.up(h)
	run := newID()
	r.post(wire.ChatMessage{RunID: run})
	ctx, cancel := context.WithCancel(t.Context())
	s, err := h.chats.Events(ctx, c.id, run, 0)
	must(t, err)
	cancel()
	select {
	case _, ok := <-s.C:
		if ok || s.Err() != nil {
			t.Fatalf("the stream gave %v, %v", ok, s.Err())
		}
	case <-time.After(patience):
		t.Fatal("the stream goes on without a reader")
	}
}

func TestTeam_changesReachTheServer(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	if a.id.Config.Version != 1 || a.id.Config.Agents["secretary"].Level != 1 || a.id.Config.DefaultLevel != 2 || a.id.Config.TimeZone != "Europe/Vienna" {
		t.Fatalf("registered with %+v", a.id.Config)
	}
	a.run(h.web.URL)
	a.up(h)
	newest := func() (cfg wire.Config) {
		all := a.frames(wire.TypeConfigPush)
		if len(all) > 0 {
			must(t, json.Unmarshal(all[len(all)-1].Body, &cfg))
		}
		return cfg
	}
	for i, e := range teamEdits() {
		cfg, err := h.teams.Change(t.Context(), c.id, c.origin(), h.signed(t, c, e))
		must(t, err)
		if want := int64(i + 2); cfg.Version != want {
			t.Fatalf("version %d, want %d", cfg.Version, want)
		}
		waitFor(t, "the version arrives", func() bool { return newest().Version == cfg.Version })
	}
	got := newest()
	if got.DefaultLevel != 3 || got.Agents["it-admin"].Level != 1 || got.Agents["secretary"].Unlocked[0] != "message" || got.By.Email != c.email || got.Business != "Example Bakery" {
		t.Fatalf("the server has %+v", got)
	}
	same, err := h.teams.Change(t.Context(), c.id, c.origin(), teamEdits()[2])
	must(t, err)
	if same.Version != got.Version {
		t.Fatalf("an edit that changes nothing made version %d", same.Version)
	}
	for _, e := range badTeamEdits() {
		if _, err := h.teams.Change(t.Context(), c.id, c.origin(), e); fault.Of(err).Kind != fault.Invalid {
			t.Fatalf("a wrong edit: %v", err)
		}
	}
	if len(got.Inside) != 0 {
		t.Fatalf("inside are %v, and nobody has proven an address", got.Inside)
	}
	_, err = h.db.Pool.Exec(t.Context(), "UPDATE users SET verified_at = now() WHERE id = $1", string(c.user))
	must(t, err)
	must(t, h.teams.Refresh(t.Context(), c.id, c.origin()))
	waitFor(t, "the proven address arrives", func() bool { in := newest().Inside; return len(in) == 1 && in[0] == c.email })

	st, err := h.teams.State(t.Context(), c.id)
	must(t, err)
	if !st.Waiting() {
		t.Fatalf("nothing was reported, and yet applied is %d", st.Applied)
	}
	a.put(wire.TypeConfigState, wire.ConfigState{Version: st.Config.Version})
	waitFor(t, "the server's report is taken", func() bool {
		st, err := h.teams.State(t.Context(), c.id)
		must(t, err)
		return !st.Waiting() && st.Error == ""
	})
}

// TestTeam_atOnce: two people change settings at once; neither change is lost.
func TestTeam_atOnce(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	h.newAgent(t, c)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := h.teams.Change(t.Context(), c.id, c.origin(), level(fmt.Sprintf("agent-%d", i), 1)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	cfg, err := h.teams.Current(t.Context(), c.id)
	must(t, err)
	if len(cfg.Agents) != 21 || cfg.Version != 21 {
		t.Fatalf("version %d with %d agents", cfg.Version, len(cfg.Agents))
	}
}

func TestRegister_once(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t), func(*agentlink.Deps) {})
	c := h.newCustomer(t)
	codes := make(chan int, 50)
	var all sync.WaitGroup
	for range cap(codes) {
		all.Go(func() { codes <- h.tryRegister(t, c.token) })
	}
	all.Wait()
	close(codes)
	count := map[int]int{}
	for code := range codes {
		count[code]++
	}
	if count[201] != 1 || count[409] != 49 {
		t.Fatalf("answers: %v", count)
	}
}
