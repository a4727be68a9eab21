package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
)

const serverID = "01900000-0000-7000-8000-0000000000aa"

// hub is the other end of the link as far as a test of agentd needs one: it registers, shakes hands, keeps what it
// wants to send until it is acknowledged, and remembers what it got.
type hub struct {
	t   *testing.T
	srv *httptest.Server

	mu      sync.Mutex
	sealKey string
	owner   wire.Signer // enrolled by owns
	conn    *websocket.Conn
	outbox  []wire.Frame // reliable frames, Seq from 1
	got     []wire.Frame
	lastIn  int64
	changed chan struct{} // closed and renewed with everything that happens
}

func newHub(t *testing.T) *hub {
	h := &hub{t: t, changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+link.RegisterPath, h.register)
	mux.HandleFunc("GET "+link.Path, h.link)
	h.srv = httptest.NewServer(mux)
	t.Cleanup(h.srv.Close)
	return h
}

func (h *hub) change(fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn()
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *hub) register(w http.ResponseWriter, r *http.Request) {
	var in wire.RegisterRequest
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Token != "gth_once" {
		http.Error(w, `{"detail":"unknown token"}`, http.StatusUnauthorized)
		return
	}
	h.change(func() { h.sealKey = in.SealKey })
	_ = json.NewEncoder(w).Encode(wire.RegisterResponse{ // a caller that went away asks again
		ServerID: serverID, Hub: h.srv.URL, LinkURL: strings.Replace(h.srv.URL, "http", "ws", 1) + link.Path,
		Config: wire.Config{Version: 1, DefaultLevel: 2, TimeZone: "UTC", Business: "Example", Inside: []string{"owner@example.com"}},
	})
}

func (h *hub) link(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(wire.MaxFrame)
	ctx := r.Context()
	ch := wire.NewChallenge(h.srv.URL, time.Now())
	if h.write(ctx, conn, frame(wire.TypeChallenge, ch)) != nil {
		return
	}
	auth, err := receiveBody[wire.Auth](ctx, conn)
	if err != nil {
		return
	}
	h.mu.Lock()
	last, resend := h.lastIn, append([]wire.Frame{}, h.outbox[auth.Resume.LastSeq:]...)
	h.mu.Unlock()
	if h.write(ctx, conn, frame(wire.TypeWelcome, wire.Welcome{LastSeq: last, Time: time.Now()})) != nil {
		return
	}
	for _, f := range resend {
		if h.write(ctx, conn, f) != nil {
			return
		}
	}
	h.change(func() { h.conn = conn })
	h.receive(ctx, conn)
	h.change(func() { h.conn = nil })
}

func receiveBody[T any](ctx context.Context, conn *websocket.Conn) (body T, err error) {
	_, msg, err := conn.Read(ctx)
	if err != nil {
		return body, err
	}
	var f wire.Frame
	if err := json.Unmarshal(msg, &f); err != nil {
		return body, err
	}
	return body, json.Unmarshal(f.Body, &body)
}

// receive takes frames until the connection ends.
func (h *hub) receive(ctx context.Context, conn *websocket.Conn) {
	var j wire.Joiner
	for {
		_, msg, err := conn.Read(ctx)
		if err != nil {
			return
		}
		f, whole, err := j.Decode(msg)
		if err != nil || !whole {
			continue
		}
		h.change(func() {
			if f.Type.Reliable() {
				if f.Seq != h.lastIn+1 {
					return // sent again
				}
				h.lastIn = f.Seq
			}
			h.got = append(h.got, f)
		})
		if f.Type.Reliable() && h.write(ctx, conn, wire.Frame{V: wire.Version, ID: newUUID(), Type: wire.TypeAck, Ack: f.Seq, Time: time.Now()}) != nil {
			return
		}
	}
}

func (h *hub) write(ctx context.Context, conn *websocket.Conn, f wire.Frame) error {
	msgs, err := wire.Encode(f)
	if err != nil {
		return err
	}
	for _, m := range msgs {
		if err := conn.Write(ctx, websocket.MessageText, m); err != nil {
			return err
		}
	}
	return nil
}

func newUUID() string { return uuid.Must(uuid.NewV7()).String() }

func frame(t wire.Type, body any) wire.Frame {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return wire.Frame{V: wire.Version, ID: newUUID(), Type: t, Time: time.Now().UTC(), Body: b}
}

// send queues a reliable frame, sealed where its type is, and sends it when the server is there.
func (h *hub) send(t wire.Type, body any) wire.Frame {
	h.t.Helper()
	f := frame(t, body)
	if t.Sealed() {
		s, err := wire.Seal(h.sealKey, wire.SealInfo(t, f.ID), f.Body)
		if err != nil {
			h.t.Fatal(err)
		}
		f.Body, _ = json.Marshal(s) // bytes always marshal
	}
	h.put(f)
	return f
}

// put queues a frame as it is.
func (h *hub) put(f wire.Frame) {
	h.mu.Lock()
	f.Seq = int64(len(h.outbox) + 1)
	h.outbox = append(h.outbox, f)
	conn := h.conn
	h.mu.Unlock()
	if conn != nil {
		_ = h.write(context.Background(), conn, f) // lost ones are sent again with the next connection
	}
}

// until waits for ok, which is asked after everything that happens.
func (h *hub) until(what string, ok func(got []wire.Frame) bool) {
	h.t.Helper()
	limit := time.After(time.Minute)
	for {
		h.mu.Lock()
		done, changed := ok(h.got), h.changed
		h.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-limit:
			h.t.Fatalf("waited too long for %s", what)
		}
	}
}

// acknowledged waits until the server has applied all that was sent.
func (h *hub) acknowledged() {
	h.t.Helper()
	h.until("the server's acknowledgement", func(got []wire.Frame) bool {
		return slices.ContainsFunc(got, func(f wire.Frame) bool { return f.Ack >= int64(len(h.outbox)) })
	})
}

func (h *hub) linked() {
	h.t.Helper()
	h.until("the link", func([]wire.Frame) bool { return h.conn != nil })
}

// last finds the newest frame of a type whose body fits.
func last[T any](got []wire.Frame, t wire.Type, fits func(T) bool) (body T, found bool) {
	for i := len(got) - 1; i >= 0; i-- {
		var b T
		if got[i].Type == t && json.Unmarshal(got[i].Body, &b) == nil && fits(b) {
			return b, true
		}
	}
	return body, false
}

// wait waits for a frame of a type whose body fits.
func wait[T any](h *hub, t wire.Type, fits func(T) bool) (body T) {
	h.t.Helper()
	h.until(string(t), func(got []wire.Frame) (ok bool) {
		body, ok = last(got, t, fits)
		return ok
	})
	return body
}

// ask asks the server a question.
func (h *hub) ask(m wire.Method, params any) wire.RPCReply {
	h.t.Helper()
	b, err := json.Marshal(params)
	if err != nil {
		h.t.Fatal(err)
	}
	q := wire.RPCRequest{ID: newUUID(), Method: m, Params: b, Deadline: time.Now().Add(time.Minute)}
	h.mu.Lock()
	conn := h.conn
	h.mu.Unlock()
	if conn == nil {
		h.t.Fatal("the server is away")
	}
	if err := h.write(h.t.Context(), conn, frame(wire.TypeRPCRequest, q)); err != nil {
		h.t.Fatal(err)
	}
	return wait(h, wire.TypeRPCReply, func(r wire.RPCReply) bool { return r.ID == q.ID })
}
