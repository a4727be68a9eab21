package link

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/wire"
)

const patience = time.Minute

// worker answers questions when it is let, and says when each has come.
type worker struct{ came, let chan struct{} }

func (w worker) RPC(ctx context.Context, _ wire.Method, p json.RawMessage) (any, error) {
	w.came <- struct{}{}
	select {
	case <-w.let:
		return p, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (worker) Apply(context.Context, *sql.Tx, wire.Frame) error          { return nil }
func (worker) Refused(context.Context, *sql.Tx, wire.Frame, error) error { return nil }

// slowConn is a connection whose other end can stop to take anything.
type slowConn struct {
	net.Conn
	held  atomic.Bool
	stuck chan struct{} // closed when a write waits
	on    chan struct{} // closed when the other end takes again
	once  sync.Once
}

func (c *slowConn) Write(p []byte) (int, error) {
	if c.held.Load() {
		c.once.Do(func() { close(c.stuck) })
		<-c.on
	}
	return c.Conn.Write(p)
}

// slowHub opens a session of c over a connection that can be held up, and gives the hub's end of it.
func slowHub(t *testing.T, c *Client) (*session, *slowConn, *websocket.Conn) {
	t.Helper()
	ends, done := make(chan *websocket.Conn, 1), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err == nil {
			ends <- conn
			<-done
		}
	}))
	t.Cleanup(srv.Close)
	t.Cleanup(func() { close(done) })
	slow := &slowConn{stuck: make(chan struct{}), on: make(chan struct{})}
	var line *corked
	dial := func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
		slow.Conn, err = (&net.Dialer{}).DialContext(ctx, network, addr)
		line = &corked{Conn: slow}
		return line, err
	}
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(srv.URL, "http", "ws", 1),
		&websocket.DialOptions{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial}}})
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(c, conn, line, wire.Welcome{Time: time.Now()})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- s.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		_ = conn.CloseNow() // the session is over
		t.Logf("session ended: %v", <-over)
	})
	hub := <-ends
	hub.SetReadLimit(wire.MaxFrame)
	return s, slow, hub
}

func ask(t *testing.T, hub *websocket.Conn, id string, m wire.Method) {
	t.Helper()
	body, err := json.Marshal(wire.RPCRequest{ID: id, Method: m, Params: json.RawMessage(`"` + id + `"`), Deadline: time.Now().Add(patience)})
	if err != nil {
		t.Fatal(err)
	}
	msgs, err := wire.Encode(wire.Frame{V: wire.Version, ID: id, Type: wire.TypeRPCRequest, Time: time.Now().UTC(), Body: body})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range msgs {
		if err := hub.Write(t.Context(), websocket.MessageText, m); err != nil {
			t.Fatal(err)
		}
	}
}

// flood holds the connection up and fills the queue as a stream would.
func flood(s *session, slow *slowConn) error {
	slow.held.Store(true)
	for {
		err := s.offer(wire.TypeChatDelta, "word ")
		select {
		case <-slow.stuck:
			if err != nil {
				return err // nothing is taken any more, and nothing fits
			}
		default:
			runtime.Gosched() // the writer is on its way to its next frame
		}
	}
}

// replies reads until so many answers have come.
func replies(t *testing.T, hub *websocket.Conn, n int) map[string]wire.RPCReply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var j wire.Joiner
	out := map[string]wire.RPCReply{}
	for len(out) < n {
		_, raw, err := hub.Read(ctx)
		if err != nil {
			t.Fatalf("%d answers of %d, then %v", len(out), n, err)
		}
		f, whole, err := j.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !whole || f.Type != wire.TypeRPCReply {
			continue
		}
		var r wire.RPCReply
		if err := json.Unmarshal(f.Body, &r); err != nil {
			t.Fatal(err)
		}
		out[r.ID] = r
	}
	return out
}

// TestReply_neverDropped: a hub that takes nothing while the queue is full of words gets every answer once it takes
// again: echoes, refusals of a busy server, and answers that took work.
func TestReply_neverDropped(t *testing.T) {
	t.Parallel()
	const working, quick = 3, 300
	w := worker{came: make(chan struct{}, working), let: make(chan struct{})}
	db, outbox := openStore(t)
	c := New(Options{
		DB: db, Outbox: outbox, Handler: w, Now: time.Now, Log: slog.New(slog.DiscardHandler), MaxAsking: working, WriteLimit: patience,
		Heartbeat: func(context.Context) wire.Heartbeat { return wire.Heartbeat{} },
	})
	s, slow, hub := slowHub(t, c)
	goOn := sync.OnceFunc(func() { close(slow.on) })
	t.Cleanup(goOn)
	if err := flood(s, slow); !errors.Is(err, errFull) {
		t.Fatalf("a full queue says %v", err)
	}
	for i := range working {
		ask(t, hub, fmt.Sprintf("work-%d", i), wire.MethodRunGet)
		<-w.came
	}
	for i := range quick {
		ask(t, hub, fmt.Sprintf("echo-%d", i), wire.MethodEcho)
		ask(t, hub, fmt.Sprintf("busy-%d", i), wire.MethodRunGet)
	}
	close(w.let)
	for end := time.Now().Add(patience); len(s.quick) < 2*quick; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d quick answers wait, want %d", len(s.quick), 2*quick)
		}
	}
	if len(s.out) != cap(s.out) {
		t.Fatal("the queue was not full while the answers were given")
	}
	goOn()
	wantAll(t, replies(t, hub, working+2*quick), working, quick)
}

func wantAll(t *testing.T, got map[string]wire.RPCReply, working, quick int) {
	t.Helper()
	own := func(kind string, n int) {
		for i := range n {
			id := fmt.Sprintf("%s-%d", kind, i)
			if string(got[id].Result) != `"`+id+`"` || got[id].Error != nil {
				t.Errorf("%s got %+v", id, got[id])
			}
		}
	}
	own("work", working)
	own("echo", quick)
	for i := range quick {
		if e := got[fmt.Sprintf("busy-%d", i)].Error; e == nil || e.Code != errBusy.Code {
			t.Errorf("question %d beyond what is worked on got %+v", i, e)
		}
	}
}

// TestSession_together offers frames faster than they go out: the hub gets all of them, in their order.
func TestSession_together(t *testing.T) {
	t.Parallel()
	db, outbox := openStore(t)
	c := New(Options{
		DB: db, Outbox: outbox, Handler: worker{}, Now: time.Now, Log: slog.New(slog.DiscardHandler), WriteLimit: patience,
		Heartbeat: func(context.Context) wire.Heartbeat { return wire.Heartbeat{} },
	})
	s, slow, hub := slowHub(t, c)
	slow.held.Store(true)
	const frames = 500
	for n := range frames {
		if err := s.offer(wire.TypeChatDelta, n); err != nil {
			t.Fatal(err)
		}
	}
	close(slow.on)
	for n := 0; n < frames; {
		_, raw, err := hub.Read(t.Context())
		if err != nil {
			t.Fatalf("%d frames, then %v", n, err)
		}
		var f wire.Frame
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		if f.Type != wire.TypeChatDelta {
			continue
		}
		if string(f.Body) != strconv.Itoa(n) {
			t.Fatalf("frame %s at place %d", f.Body, n)
		}
		n++
	}
}
