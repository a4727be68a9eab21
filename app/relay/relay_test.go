package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
)

const patience = time.Minute

func open(t *testing.T) *relay.Relay {
	t.Helper()
	r, err := relay.Open(relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// peer answers as it is told and keeps what it hears.
type peer struct {
	answer func(wire.RPCRequest) *wire.RPCReply
	heard  chan string
}

func (p *peer) Ask(raw []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if json.Unmarshal(raw, &q) != nil {
		return
	}
	if r := p.answer(q); r != nil {
		out, _ := json.Marshal(r) // plain fields
		reply(out)
	}
}

func (p *peer) Nudge()            { p.heard <- "nudge" }
func (p *peer) Fence(epoch int64) { p.heard <- fmt.Sprintf("fence %d", epoch) }

func (p *peer) wait(t *testing.T, want string) {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case got := <-p.heard:
			if got == want {
				return
			}
		case <-limit:
			t.Fatalf("%q was never heard", want)
		}
	}
}

func attach(t *testing.T, r *relay.Relay, id string, epoch int64, answer func(wire.RPCRequest) *wire.RPCReply) *peer {
	t.Helper()
	p := &peer{answer: answer, heard: make(chan string, 100)}
	detach, err := r.Attach(t.Context(), id, epoch, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(detach)
	return p
}

func TestRelay_Call_answers(t *testing.T) {
	t.Parallel()
	r := open(t)
	refuse := func(code string) func(wire.RPCRequest) *wire.RPCReply {
		return func(q wire.RPCRequest) *wire.RPCReply {
			return &wire.RPCReply{ID: q.ID, Error: &wire.RPCError{Code: code, Text: "words for people"}}
		}
	}
	for code, want := range map[string]struct {
		kind   fault.Kind
		public bool
	}{
		"bad_request": {fault.Invalid, true}, "not_found": {fault.NotFound, true}, "conflict": {fault.Conflict, true},
		"unavailable": {fault.Away, true}, "signature_required": {fault.Forbidden, true}, "internal": {fault.Internal, false}, "nonsense": {fault.Internal, false},
	} {
		attach(t, r, "s-"+code, 1, refuse(code))
		err := r.Call(t.Context(), "s-"+code, wire.MethodRunGet, wire.RunParams{}, nil)
		if f := fault.Of(err); err == nil || f.Kind != want.kind || strings.Contains(f.Public, "words for people") != want.public {
			t.Errorf("%s became %s: %q", code, f.Kind, f.Public)
		} else if !strings.HasPrefix(f.Code, "server-") || strings.Contains(f.Code, "_") {
			t.Errorf("%s is told to programs as %q, in another style than the rest", code, f.Code)
		}
	}
	attach(t, r, "good", 1, func(q wire.RPCRequest) *wire.RPCReply { return &wire.RPCReply{ID: q.ID, Result: q.Params} })
	var got wire.RunParams
	if err := r.Call(t.Context(), "good", wire.MethodRunGet, wire.RunParams{RunID: "r1"}, &got); err != nil || got.RunID != "r1" {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestRelay_Call_away(t *testing.T) {
	t.Parallel()
	r := open(t)
	attach(t, r, "silent", 1, func(wire.RPCRequest) *wire.RPCReply { return nil })
	for _, id := range []string{"nobody", "silent", "", "a.b", "*", "server.>"} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if err := r.Call(ctx, id, wire.MethodEcho, "x", nil); !errors.Is(err, relay.ErrAway) {
			t.Errorf("%q: %v", id, err)
		}
		cancel()
	}
	if r.Linked(t.Context(), "nobody") || r.Linked(t.Context(), "*") || !r.Linked(t.Context(), "silent") {
		t.Error("presence is wrong")
	}
}

func TestRelay_nudgeAndFence(t *testing.T) {
	t.Parallel()
	r := open(t)
	p := attach(t, r, "s1", 1, nil)
	other := attach(t, r, "s2", 1, nil)
	if err := r.Nudge("s1"); err != nil {
		t.Fatal(err)
	}
	p.wait(t, "nudge")
	attach(t, r, "s1", 2, nil)
	p.wait(t, "fence 2")
	if err := r.Cut("s2"); err != nil {
		t.Fatal(err)
	}
	other.wait(t, fmt.Sprintf("fence %d", int64(relay.CutOff)))
}

func TestRelay_notices(t *testing.T) {
	t.Parallel()
	r := open(t)
	one, err := r.Subscribe(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.SubscribeAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"c2", "c1"} {
		if err := r.Notify(relay.Notice{Kind: relay.KindApproval, CustomerID: c, ID: "of " + c}); err != nil {
			t.Fatal(err)
		}
	}
	if n := <-one.C; n.ID != "of c1" {
		t.Fatalf("the customer hears %+v first", n)
	}
	if a, b := <-all.C, <-all.C; a.ID != "of c2" || b.ID != "of c1" {
		t.Fatalf("staff hear %+v and %+v", a, b)
	}
	for _, id := range []string{"", "*", "c1.x", "c 1"} {
		if _, err := r.Subscribe(t.Context(), id); err == nil {
			t.Errorf("subscribed as %q", id)
		}
		if r.Notify(relay.Notice{CustomerID: id}) == nil {
			t.Errorf("notified %q", id)
		}
	}
}

// TestRelay_subscribeRun: who reads one run is handed its events and all other news, and no event of another run.
func TestRelay_subscribeRun(t *testing.T) {
	t.Parallel()
	r := open(t)
	mine, err := r.SubscribeRun(t.Context(), "c1", "r1")
	if err != nil {
		t.Fatal(err)
	}
	staff, err := r.SubscribeAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []relay.Notice{
		{Kind: relay.KindRun, CustomerID: "c1", ID: "r2"},
		{Kind: relay.KindRun, CustomerID: "c2", ID: "r1"},
		{Kind: relay.KindRun, CustomerID: "c1", ID: "r1"},
		{Kind: relay.KindServer, CustomerID: "c1", ID: "s1"},
	} {
		if err := r.Notify(n); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{(<-mine.C).ID: true, (<-mine.C).ID: true}
	if !got["r1"] || !got["s1"] || len(mine.C) != 0 {
		t.Errorf("the reader of one run got %v and %d more", got, len(mine.C))
	}
	if n := <-staff.C; n.Kind != relay.KindServer {
		t.Errorf("staff hear %+v", n)
	}
	if _, err := r.SubscribeRun(t.Context(), "c1", "r.*"); err == nil {
		t.Error("a run id with a wildcard was taken")
	}
	if r.Notify(relay.Notice{Kind: relay.KindRun, CustomerID: "c1", ID: "r1.x"}) == nil {
		t.Error("an event of a run whose id is no word was told")
	}
}

// TestNotify_events: an event arrives as it was told, whatever a server put into it.
func TestNotify_events(t *testing.T) {
	t.Parallel()
	r := open(t)
	sub, err := r.Subscribe(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range []wire.RunEvent{
		{Root: "r1", Session: "s1", N: 7, Event: wire.EventDelta, Data: []byte(`{"n":7,"text":"good\nmorning"}`)},
		{Root: "r1", Session: "s\n1", N: -1, Event: "two\nlines", Data: []byte("{\n\t\"n\": 8\r\n}\n")},
		{Root: "r1", N: 9, Event: wire.EventFinal, Data: []byte(`null`)},
	} {
		if err := r.Notify(relay.Notice{Kind: relay.KindRun, CustomerID: "c1", ID: "r1", Run: &ev}); err != nil {
			t.Fatal(err)
		}
		got := <-sub.C
		if got.Kind != relay.KindRun || got.CustomerID != "c1" || got.ID != "r1" || got.Run == nil || !reflect.DeepEqual(*got.Run, ev) {
			t.Errorf("event %d arrived as %+v", i, got)
		}
	}
}

func TestSubscription_slowReaderIsDropped(t *testing.T) {
	t.Parallel()
	r := open(t)
	slow, err := r.Subscribe(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	quick, err := r.Subscribe(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	const n = 2000
	for i := range n {
		if err := r.Notify(relay.Notice{Kind: relay.KindRun, CustomerID: "c1", ID: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
		if got := <-quick.C; got.ID != fmt.Sprint(i) {
			t.Fatalf("the quick reader got %s instead of %d", got.ID, i)
		}
	}
	read := 0
	for range slow.C {
		read++
	}
	if !slow.Lost() || read == 0 || read >= n || quick.Lost() {
		t.Fatalf("slow read %d and lost is %v; quick lost is %v", read, slow.Lost(), quick.Lost())
	}
}

func TestSubscription_ends(t *testing.T) {
	t.Parallel()
	r := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	left, err := r.Subscribe(ctx, "c1")
	if err != nil {
		t.Fatal(err)
	}
	stays, err := r.Subscribe(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, ok := <-left.C; ok || left.Lost() {
		t.Error("a reader who left still gets notices")
	}
	r.Close()
	if _, ok := <-stays.C; ok {
		t.Error("a closed relay still gives notices")
	}
	if r.Ready() == nil {
		t.Error("a closed relay says that it is ready")
	}
}

func TestOpen_refusesASmallCluster(t *testing.T) {
	t.Parallel()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	if _, err := relay.Open(relay.Options{URL: s.ClientURL()}); err == nil || !strings.Contains(err.Error(), "max_payload") {
		t.Fatalf("a cluster that would drop answers was taken: %v", err)
	}
	if _, err := relay.Open(relay.Options{URL: "nats://127.0.0.1:1"}); err == nil {
		t.Fatal("no cluster was taken for one")
	}
}
