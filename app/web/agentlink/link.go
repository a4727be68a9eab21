package agentlink

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// challengeLife is how long a challenge may be answered. Its nonce is known to one connection alone, and so is good for
// one answer.
const challengeLife = 60 * time.Second

// compressAbove is the size from which frames are compressed: small ones gain nothing and cost time.
const compressAbove = 4 << 10

// Reasons for which the hub ends a connection; closing says how each is put to the server.
var (
	errAuth     = fault.New(fault.Unauthorized, "link-auth", "link handshake does not verify", "The server could not prove who it is.")
	errRevoked  = fault.New(fault.Forbidden, "server-revoked", "link of a server that is not known", "This server is not known here.")
	errStopping = errors.New("hub stops")
	errSilent   = errors.New("server is silent")
	errBrowser  = fault.New(fault.Forbidden, "not-a-server", "link opened from a web page", "This address is for servers.")
)

// link answers GET /agentd/link: a websocket that lives as long as both sides want.
func (h *Handler) link(c echo.Context) error {
	if c.Request().Header.Get("Origin") != "" {
		return errBrowser // only browsers send it, and pages have no business here
	}
	quiet := newWatchdog(h.d.Limits.Silence)
	ws, err := websocket.Accept(c.Response(), c.Request(), &websocket.AcceptOptions{
		CompressionMode: websocket.CompressionNoContextTakeover, CompressionThreshold: compressAbove,
		OnPingReceived: func(context.Context, []byte) bool { quiet.heard(); return true },
	})
	if err != nil {
		return nil // Accept has answered
	}
	defer func() { _ = ws.CloseNow() }() // does nothing after an orderly end
	ws.SetReadLimit(wire.MaxFrame)
	// The request's context would end with the server's shutdown grace; the link ends by Close.
	h.serve(context.WithoutCancel(c.Request().Context()), ws, quiet, c.RealIP())
	return nil
}

// serve takes a connection from its handshake to its end.
func (h *Handler) serve(ctx context.Context, ws *websocket.Conn, quiet *watchdog, address string) {
	peer, auth, err := h.shake(ctx, ws)
	if err != nil {
		h.d.Log.WarnContext(ctx, "link refused", "address", address, "server_id", auth.ServerID, "error", err)
		bye(ws, err)
		return
	}
	c, err := h.open(ctx, ws, quiet, peer, auth)
	if err != nil {
		h.d.Log.ErrorContext(ctx, "link not opened", "server_id", peer.ID, "error", err)
		bye(ws, err)
		return
	}
	defer h.leave(c)
	h.d.Log.InfoContext(ctx, "link is up", "server_id", peer.ID, "epoch", c.epoch, "agentd_version", auth.AgentdVersion, "address", address)
	h.changed(ctx, peer)
	err = c.run(ctx)
	h.d.Log.InfoContext(ctx, "link is down", "server_id", peer.ID, "epoch", c.epoch, "reason", err)
	h.changed(ctx, peer)
}

// changed tells pages and streams of the customer that the server came or went.
func (h *Handler) changed(ctx context.Context, p peer) {
	h.notify(ctx, relay.Notice{Kind: relay.KindServer, CustomerID: string(p.CustomerID), ID: string(p.ID)})
}

func (h *Handler) notify(ctx context.Context, n relay.Notice) {
	if err := h.d.Relay.Notify(n); err != nil {
		h.d.Log.WarnContext(ctx, "pages not told", "kind", string(n.Kind), "customer_id", n.CustomerID, "error", err)
	}
}

// peer is a server that has proven who it is.
type peer struct {
	ID         server.ID
	CustomerID account.CustomerID
	Key        ed25519.PublicKey // signs its checkpoints
	Opens      ed25519.PublicKey // opens its link
	V          int               // version of the protocol that it speaks
}

// shake sends the challenge and checks the answer.
func (h *Handler) shake(ctx context.Context, ws *websocket.Conn) (p peer, auth wire.Auth, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.d.Limits.Shake)
	defer cancel()
	ch := wire.NewChallenge(h.d.Origin, h.d.Now())
	if err := send(ctx, ws, wire.Oldest, wire.TypeChallenge, h.d.Now(), ch); err != nil {
		return p, auth, err
	}
	_, raw, err := ws.Read(ctx)
	if err != nil {
		return p, auth, fmt.Errorf("wait for auth: %w", err)
	}
	var f wire.Frame
	if err := json.Unmarshal(raw, &f); err != nil || f.Type != wire.TypeAuth || !wire.Understood(f.V) || json.Unmarshal(f.Body, &auth) != nil {
		return p, auth, fmt.Errorf("read auth: %w", errAuth)
	}
	if h.d.Now().Sub(ch.Time) > challengeLife {
		return p, auth, fmt.Errorf("the challenge ran out: %w", errAuth)
	}
	p, err = h.known(ctx, auth)
	if err != nil {
		return p, auth, err
	}
	p.V = f.V
	if auth.KeyID != wire.KeyID(p.Opens) {
		return p, auth, fmt.Errorf("another key: %w", errAuth)
	}
	if err := wire.Verify(ch, auth, p.Opens); err != nil {
		return p, auth, errors.Join(errAuth, err)
	}
	return p, auth, nil
}

// known finds the server that the answer names, with its key.
func (h *Handler) known(ctx context.Context, auth wire.Auth) (peer, error) {
	srv, err := h.d.Servers.Find(ctx, server.ID(auth.ServerID))
	if err != nil {
		if fault.Of(err).Kind == fault.NotFound {
			return peer{}, errors.Join(errRevoked, err)
		}
		return peer{}, err
	}
	if !srv.RevokedAt.IsZero() {
		return peer{}, errRevoked
	}
	key, err := publicKey(srv.PublicKey)
	if err != nil {
		return peer{}, err
	}
	opens, err := publicKey(srv.Opens())
	if err != nil {
		return peer{}, err
	}
	return peer{ID: srv.ID, CustomerID: srv.CustomerID, Key: key, Opens: opens}, nil
}

func publicKey(text string) (ed25519.PublicKey, error) {
	key, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("server has no key: %w", errAuth)
	}
	return key, nil
}

// open makes the connection the server's newest, reachable for questions, and welcomes it.
func (h *Handler) open(ctx context.Context, ws *websocket.Conn, quiet *watchdog, p peer, auth wire.Auth) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, h.d.Limits.Shake)
	defer cancel()
	epoch, applied, err := h.d.Links.Open(ctx, p.ID, auth.Resume.LastSeq, h.d.Now().UTC())
	if err != nil {
		return nil, err
	}
	c := newConn(h, ws, quiet, p, epoch, auth.Resume.LastSeq)
	if !h.enter(c) {
		return nil, errStopping
	}
	if err := c.attach(ctx); err != nil {
		h.leave(c)
		return nil, err
	}
	if err := send(ctx, ws, p.V, wire.TypeWelcome, h.d.Now(), wire.Welcome{
		LastSeq: applied, Time: h.d.Now().UTC(), CommandKey: h.d.Servers.CommandKey(),
	}); err != nil {
		c.detach()
		h.leave(c)
		return nil, err
	}
	return c, nil
}

func send(ctx context.Context, ws *websocket.Conn, v int, t wire.Type, now time.Time, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("send %s: %w", t, err)
	}
	msgs, err := wire.Encode(wire.Frame{V: v, Type: t, Time: now.UTC(), Body: raw})
	if err != nil {
		return fmt.Errorf("send %s: %w", t, err)
	}
	if err := ws.Write(ctx, websocket.MessageText, msgs[0]); err != nil {
		return fmt.Errorf("send %s: %w", t, err)
	}
	return nil
}

// bye ends a connection, with a reason if the server should know it. Taking leave waits for the other side.
func bye(ws *websocket.Conn, err error) {
	if code, reason, known := closing(err); known {
		_ = ws.Close(code, reason) // the server may be gone already
		return
	}
	_ = ws.CloseNow() // it broke, or trying again may help: there is nothing to say
}

// closing is how a reason is put to the server.
func closing(err error) (code websocket.StatusCode, reason string, known bool) {
	switch {
	case errors.Is(err, relay.ErrFenced):
		return websocket.StatusPolicyViolation, wire.CloseReplaced, true
	case errors.Is(err, errRevoked):
		return websocket.StatusPolicyViolation, wire.CloseRevoked, true
	case errors.Is(err, errAuth):
		return websocket.StatusPolicyViolation, wire.CloseAuth, true
	case errors.Is(err, relay.ErrGap):
		return websocket.StatusPolicyViolation, "gap", true
	case errors.Is(err, errStopping):
		return websocket.StatusGoingAway, "hub stops", true
	case errors.Is(err, errForm):
		return websocket.StatusInvalidFramePayloadData, "frame", true
	}
	return 0, "", false
}
