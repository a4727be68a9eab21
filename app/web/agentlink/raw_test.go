package agentlink_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
)

// raw is a connection that a test speaks on by itself, word by word.
type raw struct {
	t  *testing.T
	ws *websocket.Conn
}

func (h *hub) dial(t *testing.T) (raw, wire.Challenge) {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), strings.Replace(h.web.URL, "http", "ws", 1)+link.Path, nil)
	must(t, err)
	ws.SetReadLimit(wire.MaxFrame)
	t.Cleanup(func() { _ = ws.CloseNow() })
	r := raw{t, ws}
	var c wire.Challenge
	must(t, json.Unmarshal(r.next(wire.TypeChallenge).Body, &c))
	return r, c
}

// open dials and shakes hands as a.
func (h *hub) open(t *testing.T, a *agent, resume int64) (raw, wire.Welcome) {
	t.Helper()
	r, c := h.dial(t)
	r.send(wire.Frame{Type: wire.TypeAuth}, a.auth(c, resume))
	var w wire.Welcome
	must(t, json.Unmarshal(r.next(wire.TypeWelcome).Body, &w))
	return r, w
}

func (a *agent) auth(c wire.Challenge, resume int64) wire.Auth {
	return wire.Auth{
		ServerID: a.id.ServerID, KeyID: wire.KeyID(a.id.Key.Public().(ed25519.PublicKey)), Signature: wire.Sign(c, a.id.ServerID, a.id.Key),
		AgentdVersion: "test", Resume: wire.Resume{LastSeq: resume},
	}
}

func (r raw) send(f wire.Frame, body any) {
	r.t.Helper()
	f.Time = time.Now().UTC()
	if f.V == 0 {
		f.V = wire.Version
	}
	if body != nil {
		b, err := json.Marshal(body)
		must(r.t, err)
		f.Body = b
	}
	msgs, err := wire.Encode(f)
	must(r.t, err)
	for _, m := range msgs {
		must(r.t, r.ws.Write(r.t.Context(), websocket.MessageText, m))
	}
}

// next reads frames until one of a type comes.
func (r raw) next(want wire.Type) wire.Frame {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	var j wire.Joiner
	for {
		_, msg, err := r.ws.Read(ctx)
		if err != nil {
			r.t.Fatalf("wait for %s: %v", want, err)
		}
		f, whole, err := j.Decode(msg)
		must(r.t, err)
		if whole && f.Type == want {
			return f
		}
	}
}

// echoes answers the next question of the hub, which must be one that any agentd answers by itself.
func (r raw) echoes() error {
	for {
		_, msg, err := r.ws.Read(r.t.Context())
		if err != nil {
			return err
		}
		var f wire.Frame
		var q wire.RPCRequest
		if err := json.Unmarshal(msg, &f); err != nil || f.Type != wire.TypeRPCRequest {
			continue
		}
		if err := json.Unmarshal(f.Body, &q); err != nil || q.Method != wire.MethodEcho {
			return fmt.Errorf("the hub asks %s: %w", q.Method, err)
		}
		body, err := json.Marshal(wire.RPCReply{ID: q.ID, Result: q.Params})
		if err != nil {
			return err
		}
		msgs, err := wire.Encode(wire.Frame{V: wire.Version, Type: wire.TypeRPCReply, Time: time.Now().UTC(), Body: body})
		if err != nil {
			return err
		}
		return r.ws.Write(r.t.Context(), websocket.MessageText, msgs[0])
	}
}

// acked waits until the hub has acknowledged up to seq.
func (r raw) acked(seq int64) {
	r.t.Helper()
	for r.next(wire.TypeAck).Ack < seq {
	}
}

// closed waits for the end of the connection and gives the hub's reason.
func (r raw) closed() string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for {
		_, _, err := r.ws.Read(ctx)
		if err == nil {
			continue
		}
		var ce websocket.CloseError
		if !errors.As(err, &ce) {
			r.t.Fatalf("the connection ended without a reason: %v", err)
		}
		return ce.Reason
	}
}
