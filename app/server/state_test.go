package server_test

import (
	"context"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

func TestStateAt(t *testing.T) {
	t.Parallel()
	beat := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		quiet time.Duration
		want  server.State
	}{
		{-time.Second, server.Online}, // a clock was set back
		{0, server.Online},
		{31 * time.Second, server.Online},
		{65 * time.Second, server.Online},
		{66 * time.Second, server.Degraded}, // two missed
		{155 * time.Second, server.Degraded},
		{156 * time.Second, server.Offline}, // five missed
		{24 * time.Hour, server.Offline},
	} {
		if got := server.StateAt(beat, beat.Add(c.quiet)); got != c.want {
			t.Errorf("quiet for %s: %s, want %s", c.quiet, got, c.want)
		}
	}
	if got := server.StateAt(time.Time{}, beat); got != server.New {
		t.Errorf("never heard of: %s", got)
	}
}

// TestService_missed: how many heartbeats have to be missed is what our staff say.
func TestService_missed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	quiet := server.Server{ID: "s1", State: server.Online, BeatAt: at.Add(-4 * time.Minute)}
	for want, rules := range map[server.State]server.Rules{
		server.Offline:  {},
		server.Degraded: {Degraded: func() int { return 6 }, Offline: func() int { return 20 }},
	} {
		store := &oneQuiet{srv: quiet}
		s := &server.Service{Store: store, Notify: nobody{}, Now: func() time.Time { return at }, Rules: rules}
		moved, err := s.Watch(t.Context())
		if err != nil || len(moved) != 1 || moved[0].State != want {
			t.Errorf("%+v, %v, want %s", moved, err, want)
		}
		if n := rules.Degraded.Or(2); !store.before.Equal(at.Add(-time.Duration(n)*server.BeatEvery - 5*time.Second)) {
			t.Errorf("asked for those quiet since %s", store.before)
		}
	}
}

// oneQuiet keeps one server whose heartbeats stay away.
type oneQuiet struct {
	server.Store
	srv    server.Server
	before time.Time
}

func (s *oneQuiet) Quiet(_ context.Context, before time.Time) ([]server.Server, error) {
	s.before = before
	return []server.Server{s.srv}, nil
}

func (s *oneQuiet) SetState(context.Context, server.ID, server.State, server.State, time.Time) (bool, error) {
	return true, nil
}

type nobody struct{}

func (nobody) ServerChanged(context.Context, account.CustomerID, server.ID) {}
