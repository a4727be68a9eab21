package db_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/db"
)

// servers is the service over a database of its own, with a clock that the test moves.
type servers struct {
	*server.Service
	db  *db.DB
	now atomic.Int64 // nanoseconds after t0
}

func (s *servers) at(d time.Duration) { s.now.Store(int64(d)) }

func newServers(t *testing.T) *servers {
	t.Helper()
	s := &servers{db: fresh(t)}
	s.Service = &server.Service{
		Store: &db.Servers{DB: s.db}, Configs: versionOne{}, Notify: deaf{},
		Origin: "https://hub.example", LinkURL: "wss://hub.example/agentd/link",
		Now: func() time.Time { return t0.Add(time.Duration(s.now.Load())) },
	}
	return s
}

type versionOne struct{}

func (versionOne) Current(context.Context, account.CustomerID) (wire.Config, error) {
	return wire.Config{Version: 1}, nil
}

// request is a registration with keys of its own.
func request(t testing.TB, token string) wire.RegisterRequest {
	t.Helper()
	pub, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	seal, _, err := wire.NewSealKey()
	must(t, err)
	return wire.RegisterRequest{Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(pub), SealKey: seal, AgentdVersion: "1.0"}
}

func TestServers_register(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	_, srv := withServer(t, s.db)
	token, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	r := request(t, token)
	got, err := s.Register(t.Context(), r, "127.0.0.1")
	if err != nil || got.ServerID != string(srv.ID) || got.Hub != "https://hub.example" ||
		got.LinkURL != "wss://hub.example/agentd/link" || got.Config.Version != 1 {
		t.Fatalf("answer %+v, %v", got, err)
	}
	read, err := s.Get(t.Context(), srv.CustomerID, srv.ID)
	must(t, err)
	key, err := base64.RawURLEncoding.DecodeString(r.PublicKey)
	must(t, err)
	if !read.Registered() || read.PublicKey != r.PublicKey || read.SealKey != r.SealKey || read.KeyID != wire.KeyID(key) ||
		read.AgentdVersion != "1.0" {
		t.Errorf("registered %+v", read)
	}
	again, err := s.Register(t.Context(), r, "127.0.0.1") // the answer was lost: the same keys ask again
	if err != nil || again.ServerID != got.ServerID {
		t.Errorf("the same server again: %+v, %v", again, err)
	}
	_, err = s.Register(t.Context(), request(t, token), "127.0.0.1")
	wantErr(t, err, server.ErrToken)
}

func TestServers_register_refusals(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	_, srv := withServer(t, s.db)
	old, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	token, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	for situation, bad := range map[string]string{"a token that was replaced": old, "no such token": "nonsense"} {
		if _, err := s.Register(t.Context(), request(t, bad), ""); !errors.Is(err, server.ErrToken) {
			t.Errorf("%s: %v", situation, err)
		}
	}
	short := request(t, token)
	short.PublicKey, short.SealKey, short.Token = short.PublicKey[:20], "", ""
	if _, err := s.Register(t.Context(), short, ""); len(fault.Of(err).Fields) != 3 {
		t.Errorf("half keys: %v", err)
	}
	s.at(24 * time.Hour)
	_, err = s.Register(t.Context(), request(t, token), "")
	wantErr(t, err, server.ErrToken)
}

func TestServers_register_fiftyAtOnce(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	_, srv := withServer(t, s.db)
	token, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	var won, refused atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		r := request(t, token)
		all.Go(func() {
			switch _, err := s.Register(t.Context(), r, ""); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, server.ErrToken):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || refused.Load() != 49 {
		t.Errorf("%d registered with one token, %d were refused", won.Load(), refused.Load())
	}
	var dump string
	must(t, s.db.Pool.QueryRow(t.Context(), "SELECT string_agg(t::text, '') FROM register_tokens t").Scan(&dump))
	if contains(dump, token) {
		t.Error("the database holds the token itself")
	}
}

// registered is a server that has its keys.
func (s *servers) registered(t *testing.T) server.Server {
	t.Helper()
	_, srv := withServer(t, s.db)
	token, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	_, err = s.Register(t.Context(), request(t, token), "")
	must(t, err)
	return srv
}

func TestServers_heartbeats(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	srv, other := s.registered(t), s.registered(t)
	beat := wire.Heartbeat{Time: t0, AgentdVersion: "1.1", DiskFree: 7, Model: "rehearsal", Rehearsal: true}
	must(t, s.Heartbeat(t.Context(), srv.ID, beat))
	state := func() server.State {
		t.Helper()
		got, err := s.Find(t.Context(), srv.ID)
		must(t, err)
		return got.State
	}
	got, err := s.Find(t.Context(), srv.ID)
	must(t, err)
	if got.State != server.Online || got.Beat == nil || got.Beat.DiskFree != 7 || got.AgentdVersion != "1.1" || !got.BeatAt.Equal(t0) {
		t.Errorf("after a heartbeat: %+v", got)
	}
	for _, c := range []struct {
		quiet time.Duration
		want  server.State
	}{{60 * time.Second, server.Online}, {66 * time.Second, server.Degraded}, {156 * time.Second, server.Offline}} {
		s.at(c.quiet)
		if _, err := s.Watch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != c.want {
			t.Errorf("quiet for %s: %s, want %s", c.quiet, got, c.want)
		}
	}
	must(t, s.Heartbeat(t.Context(), srv.ID, beat))
	if got := state(); got != server.Online {
		t.Errorf("back again: %s", got)
	}
	if got, err := s.Find(t.Context(), other.ID); err != nil || got.State != server.New {
		t.Errorf("one that never sent a heartbeat: %s, %v", got.State, err)
	}
}

// TestServers_SetState_lateHeartbeat shows that a watch which looked before a heartbeat came does not overrule it.
func TestServers_SetState_lateHeartbeat(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	srv := s.registered(t)
	must(t, s.Heartbeat(t.Context(), srv.ID, wire.Heartbeat{}))
	s.at(time.Hour)
	must(t, s.Heartbeat(t.Context(), srv.ID, wire.Heartbeat{}))
	moved, err := s.Store.SetState(t.Context(), srv.ID, server.Online, server.Offline, t0)
	if err != nil || moved {
		t.Errorf("moved %v, %v", moved, err)
	}
}

func TestServers_revoke(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	srv, other := s.registered(t), s.registered(t)
	by := audit.Actor{Kind: audit.Staff, Name: "staff@example.com"}
	wantKind(t, s.Revoke(t.Context(), other.CustomerID, srv.ID, by), fault.NotFound)
	must(t, s.Revoke(t.Context(), srv.CustomerID, srv.ID, by))
	got, err := s.Find(t.Context(), srv.ID)
	if err != nil || got.Registered() || got.State != server.Revoked {
		t.Errorf("revoked %+v, %v", got, err)
	}
	wantErr(t, s.Heartbeat(t.Context(), srv.ID, wire.Heartbeat{}), server.ErrRevoked)
	token, err := s.Mint(t.Context(), srv.ID)
	must(t, err)
	_, err = s.Register(t.Context(), request(t, token), "")
	wantErr(t, err, server.ErrRevoked)
	_, err = s.Of(t.Context(), srv.CustomerID)
	wantKind(t, err, fault.NotFound)
}

func TestServers_otherCustomer(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	srv, other := s.registered(t), s.registered(t)
	_, err := s.Get(t.Context(), other.CustomerID, srv.ID)
	wantKind(t, err, fault.NotFound)
	got, err := s.Of(t.Context(), other.CustomerID)
	if err != nil || got.ID != other.ID {
		t.Errorf("server of the other customer: %+v, %v", got, err)
	}
}

func TestServers_Add_repeat(t *testing.T) {
	t.Parallel()
	s := newServers(t)
	n := placed(t, s.db)
	first, err := s.Add(t.Context(), n.Order.CustomerID, string(n.Order.ID), n.Order.Slug, "local")
	must(t, err)
	again, err := s.Add(t.Context(), n.Order.CustomerID, string(n.Order.ID), n.Order.Slug, "local")
	if err != nil || again.ID != first.ID {
		t.Errorf("a second server: %s after %s, %v", again.ID, first.ID, err)
	}
}
