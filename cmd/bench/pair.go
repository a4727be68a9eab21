package main

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/server"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db"
)

// pair is a server without an agentd behind it, and a page that its owner has open.
type pair struct {
	server server.ID
	key    ed25519.PrivateKey
	cookie string
}

// pair makes a customer whose server has registered. The route for that takes so many a minute from one address, so the
// keys go into the rows by the same code behind it.
func (s *Stage) pair(ctx context.Context) (*pair, error) {
	o, err := s.customer(ctx)
	if err != nil {
		return nil, err
	}
	id, token, err := s.server(ctx, o)
	if err != nil {
		return nil, err
	}
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	seal, _, err := wire.NewSealKey()
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(token))
	_, err = (&db.Servers{DB: s.db}).Register(ctx, hash[:], server.Keys{
		Public: base64.RawURLEncoding.EncodeToString(public), KeyID: wire.KeyID(public), Seal: seal, AgentdVersion: "bench",
	}, time.Now().UTC())
	if err != nil {
		return nil, err
	}
	cookie, err := s.cookie(ctx, o.CustomerID, o.OrderedBy)
	return &pair{server: id, key: key, cookie: cookie}, err
}

// link opens the link and keeps it busy until ctx ends.
func (p *pair) link(ctx context.Context, hub *rig.Hub, up *atomic.Int64, failed chan<- error) {
	err := p.serve(ctx, "ws://"+hub.Addr+link.Path, up)
	if ctx.Err() == nil {
		failed <- fmt.Errorf("link of %s: %w", p.server, err)
	}
}

func (p *pair) serve(ctx context.Context, url string, up *atomic.Int64) error {
	ws, _, err := websocket.Dial(ctx, url, nil) //nolint:bodyclose // the connection owns it
	if err != nil {
		return err
	}
	defer func() { _ = ws.CloseNow() }() // the hub sees it go
	ws.SetReadLimit(wire.MaxFrame)
	if err := p.shake(ctx, ws); err != nil {
		return err
	}
	go func() {
		for { // pongs and frames of the hub must be read; nothing needs an answer
			if _, _, err := ws.Read(ctx); err != nil {
				return
			}
		}
	}()
	if err := send(ctx, ws, wire.TypeHeartbeat, wire.Heartbeat{Time: time.Now().UTC(), AgentdVersion: "bench", Model: "instant"}); err != nil {
		return err
	}
	up.Add(1)
	return p.chatter(ctx, ws)
}

// shake answers the hub's challenge with the server's key.
func (p *pair) shake(ctx context.Context, ws *websocket.Conn) error {
	var ch wire.Challenge
	if err := receive(ctx, ws, wire.TypeChallenge, &ch); err != nil {
		return err
	}
	auth := wire.Auth{
		ServerID: string(p.server), KeyID: wire.KeyID(p.key.Public().(ed25519.PublicKey)),
		Signature: wire.Sign(ch, string(p.server), p.key), AgentdVersion: "bench",
	}
	if err := send(ctx, ws, wire.TypeAuth, auth); err != nil {
		return err
	}
	var w wire.Welcome
	return receive(ctx, ws, wire.TypeWelcome, &w)
}

// chatter sends a piece of an answer every second and pings as agentd does.
func (p *pair) chatter(ctx context.Context, ws *websocket.Conn) error {
	run, session := newID(), newID()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for n := int64(1); ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		data, err := json.Marshal(wire.DeltaData{N: n, RunID: run, Agent: "it-admin", Step: 1, Attempt: 1, Text: "a few more words of the answer "})
		if err != nil {
			return err
		}
		if err := send(ctx, ws, wire.TypeChatDelta, wire.RunEvent{Root: run, Session: session, N: n, Event: wire.EventDelta, Data: data}); err != nil {
			return err
		}
		if n%15 == 0 {
			if err := ws.Ping(ctx); err != nil {
				return err
			}
		}
	}
}

// stream keeps the page's stream open until ctx ends and counts what arrives.
func (p *pair) stream(ctx context.Context, addr string, hearing, heard *atomic.Int64, failed chan<- error) {
	c, err := dial(ctx, addr, p.cookie+"Accept: text/event-stream\r\n")
	if err != nil {
		failed <- err
		return
	}
	defer c.Close()
	first := true
	err = c.follow("/app/stream", func(string, []byte) {
		heard.Add(1)
		if first {
			first = false
			hearing.Add(1)
		}
	})
	if ctx.Err() == nil {
		failed <- errors.Join(fmt.Errorf("stream of the owner of %s ended", p.server), err)
	}
}

func receive(ctx context.Context, ws *websocket.Conn, want wire.Type, body any) error {
	_, raw, err := ws.Read(ctx)
	if err != nil {
		return fmt.Errorf("wait for %s: %w", want, err)
	}
	var f wire.Frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("wait for %s: %w", want, err)
	}
	if f.Type != want {
		return fmt.Errorf("the hub sent %s instead of %s", f.Type, want)
	}
	return json.Unmarshal(f.Body, body)
}

func send(ctx context.Context, ws *websocket.Conn, t wire.Type, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	msgs, err := wire.Encode(wire.Frame{V: wire.Version, ID: newID(), Type: t, Time: time.Now().UTC(), Body: raw})
	if err != nil {
		return err
	}
	return ws.Write(ctx, websocket.MessageText, msgs[0])
}
