package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pool"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
)

// Commands sends the command to wipe; server.Commands does.
type Commands interface {
	// SendWipe has a server's machine wipe itself, and let root in by the key afterwards. It may be repeated.
	SendWipe(ctx context.Context, serverID, by, letIn string) error
}

// Links says whether a server has its link open; relay.Relay does.
type Links interface {
	Linked(ctx context.Context, serverID string) bool
}

// Looker looks at machines that are to have wiped themselves; setup.Runner does.
type Looker interface {
	// Wiped says whether a machine has wiped itself of a server, and what of it is left all the same.
	Wiped(ctx context.Context, at target.Machine, serverID string) (left []string, done bool, err error)
}

const (
	wipeWithin = 30 * time.Minute // after which nobody waits any more
	lookAgain  = 20 * time.Second // each look that comes too early is a key that the machine refuses
)

const wipeLate = "The machine did not wipe itself in time. Install it anew at its provider, put the hub's key on it, " +
	"then make it available."

var _ vpshost.Wiper = (*Host)(nil)

// Wipe sends the command as long as the server answers, then looks at the machine until nothing is left. That is the hub's own look:
// what the machine says of itself is not enough.
func (h *Host) Wipe(ctx context.Context, w vpshost.Wiping) (time.Duration, error) {
	m, err := h.Machines.OfServer(ctx, w.ServerID)
	if errors.Is(err, pool.ErrNone) {
		return 0, nil
	}
	if err != nil || h.Commands == nil || !m.ToBeWiped(w.Ended) {
		return 0, err
	}
	if m.WipeBegunAt.IsZero() {
		w.Say(fmt.Sprintf("The machine is told to wipe itself, as %s has confirmed.", m.WipeBy))
		m.WipeBegunAt = h.Now().UTC()
		if err := h.save(ctx, m, func(now *pool.Machine) { now.WipeBegunAt = m.WipeBegunAt }); err != nil {
			return 0, err
		}
	}
	why, done, err := h.wiped(ctx, m)
	switch {
	case done:
		w.Say("The machine has wiped itself. The hub has looked at it: nothing is left.")
		return 0, h.save(ctx, m, func(now *pool.Machine) {
			now.WipedAt, now.Login, now.Problem = h.Now().UTC(), "root", ""
		})
	case why == "" && h.Now().After(m.WipeBegunAt.Add(wipeWithin)):
		why = wipeLate
	}
	if why == "" {
		return lookAgain, err
	}
	w.Say(why)
	return 0, h.save(ctx, m, func(now *pool.Machine) {
		now.WipeBy, now.WipeAskedAt, now.WipeBegunAt, now.Problem = "", time.Time{}, time.Time{}, why
	})
}

// wiped brings the machine to wipe itself, or looks whether it did. why says that it never will.
func (h *Host) wiped(ctx context.Context, m pool.Machine) (why string, done bool, err error) {
	if h.Links.Linked(ctx, m.ServerID) {
		err := h.Commands.SendWipe(ctx, m.ServerID, m.WipeBy, target.KeyText(h.Site.Runner.Key.PublicKey()))
		switch f := fault.Of(err); {
		case err == nil || f.Kind == fault.Away:
			return "", false, nil
		case f.Kind == fault.Conflict:
			return f.Public, false, nil
		}
		return "", false, err
	}
	left, done, err := h.Looker.Wiped(ctx, At(m), m.ServerID)
	switch {
	case errors.Is(err, target.ErrHostKey):
		return "The machine shows another host key than before. Look at it before it is used again.", false, nil
	case err != nil:
		return "", false, nil //nolint:nilerr // it does not let the hub in yet: the next look says more
	case done && len(left) > 0:
		return fmt.Sprintf("The machine says that it wiped itself, but something of the customer is left on it: %s", left[0]), false, nil
	}
	return "", done, nil
}

// save changes the machine, as long as it is this server's.
func (h *Host) save(ctx context.Context, m pool.Machine, fn func(now *pool.Machine)) error {
	_, err := h.Machines.Change(ctx, m.ID, func(now *pool.Machine) (*audit.Entry, error) {
		if now.ServerID == m.ServerID {
			fn(now)
		}
		return nil, nil
	})
	if err != nil {
		return fmt.Errorf("keep how the wipe stands: %w", err)
	}
	return nil
}
