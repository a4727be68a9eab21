package pool_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/crypto/ssh"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	machines "gatehouse/app/pool"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/server"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// leaving is a server of the pool that is released: what it answers, and what the hub finds on its machine.
type leaving struct {
	linked bool
	sent   []string // who confirmed it, and the key that is let in
	says   error
	left   []string
	done   bool
	away   error
	now    time.Time
}

func (l *leaving) Linked(context.Context, string) bool { return l.linked }

func (l *leaving) SendWipe(_ context.Context, _, by, letIn string) error {
	l.sent = append(l.sent, by+" "+strings.Fields(letIn)[0])
	return l.says
}

func (l *leaving) Wiped(context.Context, target.Machine, string) ([]string, bool, error) {
	return l.left, l.done, l.away
}

// TestWipe: a machine whose wipe our staff confirmed after the order had ended is told to wipe itself, looked at, and held until
// somebody has checked it. One that does not answer, refuses, or holds something of the customer all the same needs hands, with why.
func TestWipe(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	away := fault.New(fault.Away, "away", "away", "The server is away.")
	for what, c := range map[string]struct {
		asked time.Time
		steps func(l *leaving) // between the first try and the others
		begin leaving
		state machines.State
		says  string // of the problem
		sent  int
	}{
		"it does": {
			asked: ended.Add(time.Minute), begin: leaving{linked: true}, sent: 1, state: machines.Held,
			steps: func(l *leaving) { l.linked, l.done = false, true },
		},
		"it is away for a moment": {
			asked: ended, begin: leaving{linked: true, says: away}, sent: 1, state: machines.Held,
			steps: func(l *leaving) { l.linked, l.done = false, true },
		},
		"it is away for long": {
			asked: ended, begin: leaving{away: errors.New("key refused")}, state: machines.NeedsHands, says: "did not wipe itself in time",
			steps: func(l *leaving) { l.now = l.now.Add(time.Hour) },
		},
		"it refuses": {
			asked: ended, begin: leaving{linked: true, says: server.ErrNotWiped("It will not.")}, sent: 1, state: machines.NeedsHands,
			says: "It will not.",
		},
		"something is left": {
			asked: ended, begin: leaving{done: true, left: []string{"/opt/gatehouse"}}, state: machines.NeedsHands, says: "/opt/gatehouse",
		},
		"another host key": {
			asked: ended, begin: leaving{away: target.ErrHostKey}, state: machines.NeedsHands, says: "another host key",
		},
		"nobody confirmed it":                  {begin: leaving{linked: true}, state: machines.NeedsHands},
		"it was confirmed before an older end": {asked: ended.Add(-time.Minute), begin: leaving{linked: true}, state: machines.NeedsHands},
		"the machine says nothing of this one": {
			asked: ended, begin: leaving{}, state: machines.NeedsHands, says: "in time",
			steps: func(l *leaving) { l.now = l.now.Add(time.Hour) },
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			l := c.begin
			l.now = ended.Add(24 * time.Hour)
			kept, h, id := given(t, &l, c.asked)
			w := vpshost.Wiping{ServerID: id, Ended: ended, Say: func(...string) {}}
			for range 5 {
				wait, err := h.Wipe(t.Context(), w)
				if err != nil {
					t.Fatal(err)
				}
				if wait == 0 {
					break
				}
				if c.steps != nil {
					c.steps(&l)
				}
			}
			if wait, err := h.Wipe(t.Context(), w); wait != 0 || err != nil {
				t.Errorf("after the end: %s, %v", wait, err)
			}
			if err := h.Retire(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			all, err := kept.List(t.Context())
			if err != nil || all[0].State != c.state || !strings.Contains(all[0].Problem, c.says) {
				t.Errorf("%+v, %v", all, err)
			}
			if len(l.sent) != c.sent || c.sent > 0 && l.sent[0] != "owner@staff.example ssh-ed25519" {
				t.Errorf("sent: %q", l.sent)
			}
			again(t, kept, h, all[0])
		})
	}
}

// given is a machine that was set up for a server, with who wants it wiped since when.
func given(t *testing.T, l *leaving, asked time.Time) (*db.Pool, *pool.Host, string) {
	t.Helper()
	d := dbtest.New(t)
	kept := &db.Pool{DB: d}
	add(t, kept, 1)
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	h := &pool.Host{
		Machines: kept, Site: &setup.Site{Runner: &setup.Runner{Key: key}, Setups: begun{}}, Commands: l, Links: l, Looker: l,
		Now: func() time.Time { return l.now },
	}
	id := uuid.NewString()
	m, err := kept.Take(t.Context(), id, "eu")
	if err != nil {
		t.Fatal(err)
	}
	if !asked.IsZero() {
		_, err := kept.Change(t.Context(), m.ID, func(m *machines.Machine) (*audit.Entry, error) {
			m.WipeBy, m.WipeAskedAt = "owner@staff.example", asked
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return kept, h, id
}

// begun is the record of a set-up that was begun.
type begun struct{}

func (begun) Begun(context.Context, string) (bool, error)   { return true, nil }
func (begun) Leaving(context.Context, string) (bool, error) { return true, nil }

// sees finds every machine in order.
type sees struct{}

func (sees) Look(context.Context, machines.Machine) (machines.Facts, error) {
	return machines.Facts{System: "Debian"}, nil
}
func (sees) PublicKey(context.Context) (string, error) { return "", nil }

// again shows that no order gets a machine before somebody has looked at it.
func again(t *testing.T, kept *db.Pool, h *pool.Host, m machines.Machine) {
	t.Helper()
	err := h.Allocate(t.Context(), vpshost.Spec{ServerID: uuid.NewString(), Region: "eu"})
	var refused *vpshost.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("an order gets the machine at once: %v", err)
	}
	if m.State != machines.Held {
		return
	}
	s := &machines.Service{Store: kept, Looker: sees{}, Now: time.Now}
	if _, err := s.Free(t.Context(), m.ID, audit.Itself); !errors.Is(err, machines.ErrUnseen) {
		t.Errorf("freed without a look: %v", err)
	}
	if m, err = s.Check(t.Context(), m.ID, audit.Itself); err != nil || m.State != machines.Free || !m.WipedAt.IsZero() {
		t.Errorf("after the look: %+v, %v", m, err)
	}
}
