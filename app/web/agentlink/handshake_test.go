package agentlink_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"math/big"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/web/agentlink"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestHandshake_refuses(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a, b := h.newAgent(t, h.newCustomer(t)), h.newAgent(t, h.newCustomer(t))
	_, earlier := h.dial(t)
	replay := a.auth(earlier, 0)
	for name, forge := range map[string]func(c wire.Challenge) wire.Auth{
		"signature of an earlier challenge": func(wire.Challenge) wire.Auth { return replay },
		"another server's key": func(c wire.Challenge) wire.Auth {
			auth := b.auth(c, 0)
			auth.ServerID = a.id.ServerID
			return auth
		},
		"another server's key under its own name": func(c wire.Challenge) wire.Auth {
			auth := a.auth(c, 0)
			auth.Signature = wire.Sign(c, a.id.ServerID, b.id.Key)
			return auth
		},
		"signed for another hub": func(c wire.Challenge) wire.Auth {
			c.Hub = "https://hub.example"
			return a.auth(c, 0)
		},
		"signed at another time": func(c wire.Challenge) wire.Auth {
			c.Time = c.Time.Add(time.Nanosecond)
			return a.auth(c, 0)
		},
		"malleated signature": func(c wire.Challenge) wire.Auth {
			auth := a.auth(c, 0)
			auth.Signature = malleate(t, auth.Signature)
			return auth
		},
		"no signature": func(c wire.Challenge) wire.Auth {
			auth := a.auth(c, 0)
			auth.Signature = ""
			return auth
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, c := h.dial(t)
			r.send(wire.Frame{Type: wire.TypeAuth}, forge(c))
			if got := r.closed(); got != wire.CloseAuth {
				t.Fatalf("closed with %q, want %q", got, wire.CloseAuth)
			}
		})
	}
	t.Run("unknown server", func(t *testing.T) {
		t.Parallel()
		r, c := h.dial(t)
		auth := a.auth(c, 0)
		auth.ServerID = newID()
		r.send(wire.Frame{Type: wire.TypeAuth}, auth)
		if got := r.closed(); got != wire.CloseRevoked {
			t.Fatalf("closed with %q, want %q", got, wire.CloseRevoked)
		}
	})
	t.Run("a frame before the handshake", func(t *testing.T) {
		t.Parallel()
		r, _ := h.dial(t)
		r.send(wire.Frame{Type: wire.TypeAlert, ID: newID(), Seq: 1}, wire.Alert{Kind: "x", Severity: "soft"})
		if got := r.closed(); got != wire.CloseAuth {
			t.Fatalf("closed with %q, want %q", got, wire.CloseAuth)
		}
	})
	t.Run("web page", func(t *testing.T) {
		t.Parallel()
		_, res, err := websocket.Dial(t.Context(), "ws"+h.web.URL[4:]+link.Path, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {h.web.URL}}})
		if err == nil || res.StatusCode != http.StatusForbidden {
			t.Fatalf("a page opened a link: %v", err)
		}
	})
}

// malleate adds the order of the group to the scalar of a signature: the same signature to a careless verifier.
func malleate(t *testing.T, sig string) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(sig)
	must(t, err)
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	s := b[ed25519.PublicKeySize:]
	little := make([]byte, 32)
	for i, v := range s {
		little[31-i] = v
	}
	sum := new(big.Int).Add(new(big.Int).SetBytes(little), order).FillBytes(make([]byte, 32))
	for i, v := range sum {
		s[31-i] = v
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func TestHandshake_challengeRunsOut(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	h := startHub(t, dbtest.New(t), func(d *agentlink.Deps) {
		d.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	a := h.newAgent(t, h.newCustomer(t))
	r, c := h.dial(t)
	ahead.Store(int64(61 * time.Second))
	r.send(wire.Frame{Type: wire.TypeAuth}, a.auth(c, 0))
	if got := r.closed(); got != wire.CloseAuth {
		t.Fatalf("closed with %q, want %q", got, wire.CloseAuth)
	}
}

func TestLink_revokedServerIsCutOff(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r, _ := h.open(t, a, 0)
	must(t, (&db.Servers{DB: h.db}).Revoke(t.Context(), c.id, c.server, time.Now().UTC(), audit.Entry{
		ID: newID(), At: time.Now().UTC(), By: audit.Itself, CustomerID: string(c.id), Action: "server.revoke", Target: string(c.server),
	}))
	must(t, h.relay.Cut(string(c.server)))
	if got := r.closed(); got != wire.CloseRevoked {
		t.Fatalf("closed with %q, want %q", got, wire.CloseRevoked)
	}
	ended := make(chan error, 1)
	client := link.New(link.Options{
		Identity: a.id, Hub: h.web.URL, DB: a.db, Outbox: a.outbox, Handler: a, Now: time.Now, Log: a.log, Config: func() int64 { return 0 },
	})
	go func() { ended <- client.Run(t.Context()) }()
	select {
	case err := <-ended:
		wantErr(t, err, link.ErrRevoked)
	case <-time.After(patience):
		t.Fatal("a revoked server keeps coming back")
	}
}

func TestLink_refusesAnotherHub(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t), func(d *agentlink.Deps) { d.Origin = "https://other.example" })
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.id.Hub = "https://hub.example"
	a.run("")
	waitFor(t, "the hub is turned away", func() bool { return h.log.count("link refused") > 2 })
	if h.handler.Count() != 0 {
		t.Fatal("a link opened to a hub that calls itself by another name")
	}
}
