package machine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/server"
	"gatehouse/app/staff"
)

// Store is what Service and Worker need; db.MachineActs has it.
type Store interface {
	// Add keeps an act, records e, queues the work that does it, and mails letter to the owners unless it is empty: all or nothing.
	// While another act of that machine has not ended, it answers ErrBusy.
	Add(ctx context.Context, a Act, e audit.Entry, letter string) error
	Get(ctx context.Context, id string) (Act, error)
	// Of lists the newest acts of a server, newest first.
	Of(ctx context.Context, id server.ID, limit int) ([]Act, error)
	// Marked keeps where the provider's record stood, unless that is kept already or the act has ended.
	Marked(ctx context.Context, id, mark string) error
	// Begun keeps what the provider calls what it began.
	Begun(ctx context.Context, id, task string) error
	// End keeps how an act ended, if it has not ended yet.
	End(ctx context.Context, a Act) error

	// Seen is what is known of a machine.
	Seen(ctx context.Context, id server.ID) (Seen, error)
	// Saw keeps what was seen, with the snapshots that there are; nil snapshots leave those that are kept.
	Saw(ctx context.Context, id server.ID, s Seen, all []Snapshot) error
	// AskLook queues a look at a machine.
	AskLook(ctx context.Context, id server.ID) error
	// Copies lists the snapshots of a server, newest first.
	Copies(ctx context.Context, id server.ID) ([]Copy, error)
	// Copy finds a snapshot, or answers ErrNoSnapshot.
	Copy(ctx context.Context, id string) (Copy, error)
	// Agreed says since when a customer agrees to snapshots; zero: not at all.
	Agreed(ctx context.Context, of account.CustomerID) (time.Time, error)
}

// Servers finds servers; server.Service does.
type Servers interface {
	Find(ctx context.Context, id server.ID) (server.Server, error)
}

// Windows says what owners have opened; support.Service does.
type Windows interface {
	// Lets says whether a window of the owner is open on a server, in which one of our staff may have k.
	Lets(ctx context.Context, on server.ID, staffID string, k wire.SupportKind) (bool, error)
}

// Links says whether servers can be asked; relay.Relay does.
type Links interface {
	Linked(ctx context.Context, serverID string) bool
}

// Service takes what is asked for.
type Service struct {
	Store   Store
	Servers Servers
	Windows Windows
	Links   Links
	Can     map[string]Abilities // of each provider, by its name
	Codes   staff.Confirmer
	Now     func() time.Time
}

const maxShown = 20

// View is all that pages show of a machine.
type View struct {
	Can    Abilities
	Seen   Seen
	Copies []Copy
	Acts   []Act
	Agreed time.Time // since when its owner agrees to snapshots; zero: not at all

	Rescue    bool      // the rescue system was started last, as far as the hub knows
	Busy      bool      // an act has not ended
	LateSince time.Time // when the last daily snapshot was made, or agreed to, if that is too long ago; else zero
}

// View gives what is known of a server's machine, without asking its provider.
func (s *Service) View(ctx context.Context, srv server.Server) (v View, err error) {
	v.Can = s.Can[srv.Provider]
	if !v.Can.Any() {
		return v, nil
	}
	if v.Seen, err = s.Store.Seen(ctx, srv.ID); err != nil {
		return v, err
	}
	if v.Copies, err = s.Store.Copies(ctx, srv.ID); err != nil {
		return v, err
	}
	if v.Agreed, err = s.Store.Agreed(ctx, srv.CustomerID); err != nil {
		return v, err
	}
	if v.Acts, err = s.Store.Of(ctx, srv.ID, maxShown); err != nil {
		return v, err
	}
	v.Busy = len(v.Acts) > 0 && v.Acts[0].EndedAt.IsZero()
	v.Rescue = v.Seen.Rescue || rescued(v.Acts)
	if v.Can.Snapshots {
		v.LateSince = lateSince(v.Agreed, v.Copies, s.Now())
	}
	return v, err
}

// rescued says whether the rescue system was started and the machine was not started anew since. acts begin with the newest.
func rescued(acts []Act) bool {
	for _, a := range acts {
		switch {
		case a.State != Done || a.Verb == Take || a.Verb == Drop || a.Verb == On:
		default:
			return a.Verb == RescueOn
		}
	}
	return false
}

// NameOf is the name of the server that an act is on.
func (s *Service) NameOf(ctx context.Context, actID string) (string, error) {
	a, err := s.Store.Get(ctx, actID)
	if err != nil {
		return "", err
	}
	srv, err := s.Servers.Find(ctx, a.ServerID)
	return srv.Slug, err
}

// AskLook has the provider asked how a machine is.
func (s *Service) AskLook(ctx context.Context, id server.ID, by audit.Actor) error {
	if err := staff.Require(by, staff.ServersPower); err != nil {
		return err
	}
	srv, err := s.Servers.Find(ctx, id)
	if err != nil {
		return err
	}
	if !s.Can[srv.Provider].Any() {
		return ErrCannot
	}
	return s.Store.AskLook(ctx, id)
}

// Want is what somebody wants done with a machine.
type Want struct {
	Verb Verb
	Copy string // Drop, Restore: id of the snapshot
	Key  string // RescueOn: the SSH key that is let in
}

// Do takes what is wanted. It is done by a worker, in the order in which it was asked for: one thing at a time.
func (s *Service) Do(ctx context.Context, id server.ID, w Want, by audit.Actor) (Act, error) {
	r, known := rules[w.Verb]
	if !known {
		return Act{}, ErrVerb
	}
	if err := staff.Require(by, r.needs); err != nil {
		return Act{}, err
	}
	srv, err := s.Servers.Find(ctx, id)
	if err != nil {
		return Act{}, err
	}
	a, err := s.act(ctx, srv, w, by)
	if err != nil {
		return Act{}, err
	}
	if r.enters {
		if err := s.entered(ctx, srv, by); err != nil {
			return Act{}, err
		}
	}
	if r.confirms != "" {
		if err := staff.Confirm(ctx, s.Codes, by, a.destroying(srv.Slug, w.Copy)); err != nil {
			return Act{}, err
		}
	}
	return a, s.Store.Add(ctx, a, entryOf(a, srv, by), r.letter)
}

// entered refuses one of our staff what opens the whole disk unless the owner has let them, as long as the server can be asked.
func (s *Service) entered(ctx context.Context, srv server.Server, by audit.Actor) error {
	if by.Kind != audit.Staff {
		return nil
	}
	let, err := s.Windows.Lets(ctx, srv.ID, by.ID, wire.SupportMachine)
	if err != nil || let {
		return err
	}
	if s.Links.Linked(ctx, string(srv.ID)) {
		return ErrWindow
	}
	if !srv.RevokedAt.IsZero() && srv.RevokedAt.Sub(srv.BeatAt) <= silence {
		return ErrCut // our staff cut it off while it answered
	}
	acts, err := s.Store.Of(ctx, srv.ID, mostSince)
	if err != nil {
		return err
	}
	return silent(srv.BeatAt, acts, s.Now())
}

// Destroying is the act that a code is asked for, with the name of what it is on.
func (s *Service) Destroying(ctx context.Context, action, object string) (staff.Destroying, error) {
	a, of := Act{ServerID: server.ID(object), Verb: verbOf(action)}, ""
	if a.Verb == Drop || a.Verb == Restore {
		c, err := s.Store.Copy(ctx, object)
		if err != nil {
			return staff.Destroying{}, err
		}
		a.ServerID, a.Name, of = c.ServerID, c.Name, c.ID
	}
	srv, err := s.Servers.Find(ctx, a.ServerID)
	return a.destroying(srv.Slug, of), err
}

// verbOf is the verb that a mailed code confirms.
func verbOf(action string) Verb {
	for v, r := range rules {
		if r.confirms == action && action != "" {
			return v
		}
	}
	return ""
}

// act makes the act that is wanted, or says why there is none.
func (s *Service) act(ctx context.Context, srv server.Server, w Want, by audit.Actor) (Act, error) {
	can := s.Can[srv.Provider]
	if !can.Can(w.Verb) {
		return Act{}, ErrCannot
	}
	u, err := uuid.NewV7()
	if err != nil {
		return Act{}, fmt.Errorf("%s: %w", w.Verb, err)
	}
	a := Act{
		ID: u.String(), ServerID: srv.ID, Verb: w.Verb, By: nameOf(by), State: Asked, At: s.Now().UTC().Truncate(time.Microsecond),
	}
	switch w.Verb {
	case RescueOn:
		if a.Key = strings.TrimSpace(w.Key); can.RescueKey && !isKey(a.Key) {
			return Act{}, ErrKey
		}
	case Take:
		a.Name = handPrefix + a.At.Format("20060102-150405")
		since, err := s.Store.Agreed(ctx, srv.CustomerID)
		if err != nil {
			return Act{}, err
		}
		if since.IsZero() {
			return Act{}, ErrNoConsent
		}
	case Drop, Restore:
		c, err := s.copyOf(ctx, srv.ID, w.Copy)
		if err != nil {
			return Act{}, err
		}
		if w.Verb == Restore && srv.OpensSince().After(c.MadeAt) {
			return Act{}, ErrKeySince
		}
		a.Snapshot, a.Name = c.Place, c.Name
	}
	return a, nil
}

// copyOf finds a snapshot of a server.
func (s *Service) copyOf(ctx context.Context, id server.ID, copyID string) (Copy, error) {
	if uuid.Validate(copyID) != nil {
		return Copy{}, ErrNoSnapshot
	}
	c, err := s.Store.Copy(ctx, copyID)
	if err == nil && c.ServerID != id {
		err = ErrNoSnapshot
	}
	return c, err
}

// isKey says whether a text is one public SSH key, as far as can be told without knowing its kind.
func isKey(text string) bool {
	kind, rest, _ := strings.Cut(text, " ")
	known := kind == "ssh-ed25519" || kind == "ssh-rsa" || strings.HasPrefix(kind, "ecdsa-sha2-") || strings.HasPrefix(kind, "sk-")
	return known && len(rest) >= 60 && len(text) <= 4096 && !strings.ContainsAny(text, "\r\n")
}

// entryOf is the record of an act.
func entryOf(a Act, srv server.Server, by audit.Actor) audit.Entry {
	e := audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: a.At, By: by, CustomerID: string(srv.CustomerID), Action: "machine." + string(a.Verb),
		Target: string(srv.ID), Details: map[string]string{"act": a.ID},
	}
	if a.Name != "" {
		e.Details["snapshot"] = a.Name
	}
	return e
}
