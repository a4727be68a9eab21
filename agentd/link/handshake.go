package link

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// Path is where a hub takes links, below its base URL.
const Path = "/agentd/link"

// handshakeTime is how long a connection may take until the hub's welcome.
const handshakeTime = 15 * time.Second

// skewed is how far the clocks may be apart before it is worth a line in the log.
const skewed = 5 * time.Minute

// compressAbove is the size from which frames are compressed: small ones gain nothing and cost time.
const compressAbove = 4 << 10

// errHub says that the other end is not the hub this server is registered at.
var errHub = errors.New("this is not the hub that the server is registered at")

// connect opens one connection and stays until it ends; the error says why.
func (c *Client) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := &dialer{}
	conn, welcome, err := c.open(ctx, lines)
	if err != nil {
		return reason(err)
	}
	defer func() { _ = conn.CloseNow() }() // does nothing after an orderly end
	if err := c.o.Outbox.resume(ctx, welcome.LastSeq); err != nil {
		return err
	}
	return reason(newSession(c, conn, lines.made(), welcome).run(ctx))
}

// open dials and proves who this server is.
func (c *Client) open(ctx context.Context, lines *dialer) (*websocket.Conn, wire.Welcome, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	addr, err := c.address()
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	client := lines.client()
	defer client.CloseIdleConnections() // of a dial that was refused
	conn, res, err := websocket.Dial(ctx, addr, &websocket.DialOptions{
		HTTPClient:      client,
		CompressionMode: websocket.CompressionNoContextTakeover, CompressionThreshold: compressAbove,
	})
	if res != nil && res.Body != nil {
		_ = res.Body.Close() // empty, or the text of a refusal
	}
	if err != nil {
		return nil, wire.Welcome{}, fmt.Errorf("dial hub: %w", err)
	}
	conn.SetReadLimit(wire.MaxFrame)
	welcome, err := c.shake(ctx, conn)
	if err != nil {
		_ = conn.CloseNow() // the reason is in err
		return nil, wire.Welcome{}, err
	}
	return conn, welcome, nil
}

// address is where the link is, from the configured hub before what the hub once said: a hub may move.
func (c *Client) address() (string, error) {
	if c.o.Hub == "" {
		return c.o.Identity.LinkURL, nil
	}
	u, err := url.Parse(c.o.Hub)
	if err != nil {
		return "", fmt.Errorf("address of hub: %w", err)
	}
	u.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	return u.JoinPath(Path).String(), nil
}

// shake answers the hub's challenge and waits for its welcome.
func (c *Client) shake(ctx context.Context, conn *websocket.Conn) (wire.Welcome, error) {
	var ch wire.Challenge
	if err := readBody(ctx, conn, wire.TypeChallenge, &ch); err != nil {
		return wire.Welcome{}, err
	}
	if !c.knows(ch.Hub) {
		return wire.Welcome{}, fmt.Errorf("%w: it calls itself %s", errHub, ch.Hub)
	}
	last, err := c.inbox.applied(ctx)
	if err != nil {
		return wire.Welcome{}, err
	}
	id, key := c.o.Identity, c.o.Keys.try()
	if err := writeBody(ctx, conn, wire.TypeAuth, c.o.Now(), wire.Auth{
		ServerID: id.ServerID, KeyID: idOf(key), Signature: wire.Sign(ch, id.ServerID, key),
		AgentdVersion: c.o.Version, ConfigVersion: c.o.Config(), Resume: wire.Resume{LastSeq: last},
	}); err != nil {
		return wire.Welcome{}, err
	}
	var w wire.Welcome
	if err := readBody(ctx, conn, wire.TypeWelcome, &w); err != nil {
		return wire.Welcome{}, c.unwelcome(err)
	}
	if err := c.opened(ctx, key, w); err != nil {
		return wire.Welcome{}, err
	}
	if off := w.Time.Sub(c.o.Now()); off.Abs() > skewed {
		c.o.Log.WarnContext(ctx, "clocks of hub and server differ", "hub_ahead_s", int64(off.Seconds()))
	}
	return w, nil
}

// unwelcome lets the next connection try another key when the hub does not know the server by this one.
func (c *Client) unwelcome(err error) error {
	var ce websocket.CloseError
	if errors.As(err, &ce) && ce.Reason == wire.CloseAuth {
		c.o.Keys.turnedAway()
	}
	return err
}

// opened notes which key opened the link.
func (c *Client) opened(ctx context.Context, key ed25519.PrivateKey, w wire.Welcome) error {
	fresh, err := c.o.Keys.opened(key)
	if err != nil {
		return err
	}
	if fresh {
		c.o.Log.InfoContext(ctx, "link opened with another key than before", "key_id", idOf(key))
	}
	if c.o.Welcomed != nil {
		c.o.Welcomed(ctx, w)
	}
	return nil
}

// knows says whether origin is the hub this server is registered at, or the one it is configured for: a signature is
// made for no other.
func (c *Client) knows(origin string) bool {
	return origin == c.o.Identity.Hub || sameOrigin(origin, c.o.Hub)
}

// sameOrigin compares scheme, host and port; all names of this machine's loopback are one.
func sameOrigin(a, b string) bool {
	u, errA := url.Parse(a)
	v, errB := url.Parse(b)
	if errA != nil || errB != nil || u.Scheme != v.Scheme || u.Port() != v.Port() {
		return false
	}
	return u.Hostname() == v.Hostname() || loopback(u.Hostname()) && loopback(v.Hostname())
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func readBody(ctx context.Context, conn *websocket.Conn, want wire.Type, body any) error {
	_, raw, err := conn.Read(ctx)
	if err != nil {
		return fmt.Errorf("wait for %s: %w", want, err)
	}
	var f wire.Frame
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("read %s: %w", want, err)
	}
	if f.Type != want {
		return fmt.Errorf("the hub sent %s instead of %s", f.Type, want)
	}
	if !wire.Understood(f.V) {
		return fmt.Errorf("the hub speaks version %d of the link, this agentd versions %d to %d", f.V, wire.Oldest, wire.Version)
	}
	if err := json.Unmarshal(f.Body, body); err != nil {
		return fmt.Errorf("read %s: %w", want, err)
	}
	return nil
}

func writeBody(ctx context.Context, conn *websocket.Conn, t wire.Type, now time.Time, body any) error {
	msgs, err := encode(wire.Frame{V: wire.Version, Type: t, Time: now.UTC()}, body)
	if err != nil {
		return err
	}
	if err := conn.Write(ctx, websocket.MessageText, msgs[0]); err != nil {
		return fmt.Errorf("send %s: %w", t, err)
	}
	return nil
}

// encode is the way every body takes out of this server.
func encode(f wire.Frame, body any) ([][]byte, error) {
	if body != nil {
		raw, err := cleaned(body)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", f.Type, err)
		}
		f.Body = raw
	}
	return wire.Encode(f)
}

// cleaned is body as it may leave. The data of an event stands as it was kept, so it was found clean a moment ago;
// around it are a number and checked ids.
func cleaned(body any) (json.RawMessage, error) {
	if e, ok := body.(wire.RunEvent); ok {
		e.Data = redact.Frame(e.Data)
		return e.Bytes()
	}
	r, isReply := body.(wire.RPCReply)
	box := r.Box
	if r.Box = nil; isReply {
		body = r
	}
	raw, err := json.Marshal(body)
	if raw = redact.Frame(raw); err != nil || box == nil {
		return raw, err
	}
	return beside(raw, box), nil
}

// beside puts a box, as its last member, into an object that is clean. Nothing could be found in it.
func beside(object json.RawMessage, box []byte) json.RawMessage {
	out := append(bytes.TrimSuffix(object, []byte("}")), `,"box":"`...)
	return append(base64.StdEncoding.AppendEncode(out, box), `"}`...)
}

// reason puts the hub's reason for closing into words that Run acts on.
func reason(err error) error {
	var ce websocket.CloseError
	if !errors.As(err, &ce) {
		return err
	}
	switch ce.Reason {
	case wire.CloseRevoked:
		return fmt.Errorf("%w: %w", ErrRevoked, err)
	case wire.CloseReplaced:
		return fmt.Errorf("%w: %w", errReplaced, err)
	}
	return err
}
