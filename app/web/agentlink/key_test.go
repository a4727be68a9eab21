package agentlink_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/db/dbtest"
)

var owner = audit.Actor{Kind: audit.Staff, ID: newID(), Name: "owner@example.com", Role: string(staff.Owner)}

// renews makes an agent answer what renews the key of its link, with keys that it loads anew: as after a start. mute keeps the
// word that the key was taken from it.
func (a *agent) renews(mute bool) *link.Keys {
	a.t.Helper()
	id, err := link.LoadIdentity(a.dir)
	must(a.t, err)
	keys := link.OpenKeys(a.dir, id)
	a.answers(func(_ context.Context, m wire.Method, p json.RawMessage) (any, error) {
		switch m {
		case wire.MethodLinkKeyOffer:
			return keys.Offer()
		case wire.MethodLinkKeyTaken:
			if mute {
				return nil, &wire.RPCError{Code: "internal", Text: "The server was stopped."}
			}
			var taken wire.KeyTaken
			must(a.t, json.Unmarshal(p, &taken))
			_, err := keys.Taken(taken.KeyID)
			return taken, err
		}
		return nil, &wire.RPCError{Code: "bad_request", Text: "This server does not answer that."}
	})
	return keys
}

func withKeys(k *link.Keys) func(*link.Options) { return func(o *link.Options) { o.Keys = k } }

// TestRenewKey: the new key opens the link, the old one does not any more, whether or not the server heard that its key was
// taken; checkpoints are still verified with the key that it registered with.
func TestRenewKey(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	for _, mute := range []bool{false, true} {
		a := h.newAgent(t, h.newCustomer(t))
		id := server.ID(a.id.ServerID)
		a.run(h.web.URL, withKeys(a.renews(mute)))
		a.up(h)
		must(t, h.servers.RenewKey(t.Context(), id, owner))
		srv, err := h.servers.Find(t.Context(), id)
		must(t, err)
		if srv.LinkKey == "" || srv.LinkKey == srv.PublicKey || srv.Opens() != srv.LinkKey {
			t.Fatalf("mute %t: the hub knows the server by %q", mute, srv.Opens())
		}
		a.stop()
		r, c := h.dial(t) // whoever has the old key
		r.send(wire.Frame{Type: wire.TypeAuth}, a.auth(c, 0))
		if got := r.closed(); got != wire.CloseAuth {
			t.Errorf("mute %t: the old key was answered with %q", mute, got)
		}
		a.run(h.web.URL, withKeys(a.renews(false))) // as after a start: it has what is in the file
		a.up(h)
		after, err := link.LoadIdentity(a.dir)
		must(t, err)
		if after.Next != nil || after.Link == nil || !after.Key.Equal(a.id.Key) {
			t.Errorf("mute %t: the server did not settle on the new key", mute)
		}
		must(t, h.servers.RenewKey(t.Context(), id, owner)) // and again, signed by the new one
		a.stop()
	}
}

// TestRenewKey_putBack: a hub that was restored from before a renewal lets the server in by the key that it knows, and renews it.
func TestRenewKey_putBack(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a := h.newAgent(t, h.newCustomer(t))
	id := server.ID(a.id.ServerID)
	a.run(h.web.URL, withKeys(a.renews(false)))
	a.up(h)
	must(t, h.servers.RenewKey(t.Context(), id, owner))
	renewed, err := h.servers.Find(t.Context(), id)
	must(t, err)
	a.stop()
	_, err = h.db.Pool.Exec(t.Context(), "UPDATE servers SET link_key = NULL, link_key_at = NULL")
	must(t, err)
	a.run(h.web.URL, withKeys(a.renews(false)))
	a.up(h)
	must(t, h.servers.RenewKey(t.Context(), id, owner))
	if again, err := h.servers.Find(t.Context(), id); err != nil || again.LinkKey != renewed.LinkKey {
		t.Errorf("the hub knows the server by %q, not by the key of before the restore, %v", again.LinkKey, err)
	}
}

// TestRenewKey_refuses: an offer that the present key has not signed is not taken, and the present key stays.
func TestRenewKey_refuses(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a, thief := h.newAgent(t, h.newCustomer(t)), h.newAgent(t, h.newCustomer(t))
	id := server.ID(a.id.ServerID)
	a.answers(func(_ context.Context, m wire.Method, _ json.RawMessage) (any, error) {
		if m == wire.MethodLinkKeyOffer {
			return wire.OfferKey(a.id.ServerID, thief.id.Key, thief.id.Key), nil
		}
		return nil, &wire.RPCError{Code: "bad_request", Text: "No."}
	})
	a.run(h.web.URL)
	a.up(h)
	wantErr(t, h.servers.RenewKey(t.Context(), id, owner), server.ErrKeyOffer)
	a.answers(nil)
	support := audit.Actor{Kind: audit.Staff, Role: string(staff.Support)}
	if err := h.servers.RenewKey(t.Context(), id, support); fault.Of(err).Kind != fault.Forbidden {
		t.Errorf("support renewed a key: %v", err)
	}
	a.answers(func(context.Context, wire.Method, json.RawMessage) (any, error) {
		return nil, &wire.RPCError{Code: "bad_request", Text: "This server does not answer that."}
	})
	wantErr(t, h.servers.RenewKey(t.Context(), id, owner), server.ErrTooOld)
	srv, err := h.servers.Find(t.Context(), id)
	must(t, err)
	if srv.LinkKey != "" {
		t.Errorf("the key is %q", srv.LinkKey)
	}
}

// TestRenewOld: a key that is old is renewed by itself, once.
func TestRenewOld(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a := h.newAgent(t, h.newCustomer(t))
	a.run(h.web.URL, withKeys(a.renews(false)))
	a.up(h)
	waitFor(t, "the first heartbeat", func() bool {
		s, err := h.servers.Find(t.Context(), server.ID(a.id.ServerID))
		return err == nil && s.State == server.Online
	})
	if n, err := h.servers.RenewOld(t.Context()); n != 0 || err != nil {
		t.Fatalf("a young key: %d, %v", n, err)
	}
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE servers SET registered_at = $1", time.Now().Add(-server.KeyLife-time.Hour))
	must(t, err)
	for i, want := range []int{1, 0} {
		if n, err := h.servers.RenewOld(t.Context()); n != want || err != nil {
			t.Errorf("round %d: %d, %v", i, n, err)
		}
	}
}

// TestCutOff: within five seconds a server that was cut off is gone, and does not come back.
func TestCutOff(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL)
	a.up(h)
	srv, err := h.servers.Find(t.Context(), c.server)
	must(t, err)
	wantErr(t, h.servers.CutOff(t.Context(), c.server, "another name", owner), server.ErrConfirm)
	admin := audit.Actor{Kind: audit.Staff, Role: string(staff.Admin)}
	if err := h.servers.CutOff(t.Context(), c.server, srv.Slug, admin); fault.Of(err).Kind != fault.Forbidden {
		t.Errorf("an admin cut a server off: %v", err)
	}
	began := time.Now()
	must(t, h.servers.CutOff(t.Context(), c.server, srv.Slug, owner))
	waitFor(t, "the link ends", func() bool { return !a.client.Connected() && h.handler.Count() == 0 })
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	r, ch := h.dial(t)
	r.send(wire.Frame{Type: wire.TypeAuth}, a.auth(ch, 0))
	if got := r.closed(); got != wire.CloseRevoked {
		t.Errorf("it was answered with %q", got)
	}
}

// TestCutOff_hubKilled: a hub that was killed between the mark and the cut ends the link with the next heartbeat.
func TestCutOff_hubKilled(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	a.run(h.web.URL, func(o *link.Options) { o.BeatEvery = 50 * time.Millisecond })
	a.up(h)
	must(t, h.servers.Revoke(t.Context(), c.id, c.server, owner))
	waitFor(t, "the link ends", func() bool { return h.handler.Count() == 0 })
}

// TestWelcome_commandKey: a server hears of the hub's command key with each connection, and with its registration.
func TestWelcome_commandKey(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	a := h.newAgent(t, h.newCustomer(t))
	told := make(chan string, 10)
	a.run(h.web.URL, func(o *link.Options) {
		o.Welcomed = func(_ context.Context, w wire.Welcome) { told <- w.CommandKey }
	})
	if got := <-told; got == "" || got != h.servers.CommandKey() || a.id.Command != got {
		t.Errorf("with the link %q, at registration %q, the hub's is %q", got, a.id.Command, h.servers.CommandKey())
	}
}
