package team

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// Store is what Service needs; db.Configs has it. A call inside the fn of Change belongs to its transaction.
type Store interface {
	// Business reads what the settings take from the customer's account.
	Business(ctx context.Context, of account.CustomerID) (Business, error)
	// State reads the newest version and what the server reported; Config.Version is 0 when nothing was set yet.
	State(ctx context.Context, of account.CustomerID) (State, error)
	// Change locks the customer's settings, runs fn on them and keeps what it returns as a new version, unless fn
	// returns nil.
	Change(ctx context.Context, of account.CustomerID, at time.Time, fn func(context.Context, State) (*wire.Config, error)) (State, error)
	// Report keeps what a server says about the version it runs, in the transaction of ctx.
	Report(ctx context.Context, id server.ID, s wire.ConfigState, at time.Time) error
}

// Outbox keeps frames for servers until they are delivered, in the transaction of ctx; db.Links has it.
type Outbox interface {
	Put(ctx context.Context, id server.ID, f wire.Frame) error
}

// Holds says on which servers nothing may be raised for now; receipt.Service does. A call belongs to the transaction of ctx.
type Holds interface {
	MayAllow(ctx context.Context, id server.ID) error
}

// Plans says what a customer's plan lets the team use, and is told what the owner chose; billing.Service does. A call belongs to
// the transaction of ctx.
type Plans interface {
	Allowance(ctx context.Context, of account.CustomerID) (Allowance, error)
	// Chose keeps that the owner lets the team work on, for money, when the pool is empty, or no longer.
	Chose(ctx context.Context, of account.CustomerID, beyond bool, by audit.Actor) error
}

// Record keeps what people did, in the transaction of ctx; db.Trail has it.
type Record interface {
	Add(ctx context.Context, e audit.Entry) error
}

// Live is what Service needs of the live traffic; relay.Relay has it.
type Live interface {
	Notify(n relay.Notice) error
	Nudge(serverID string) error
}

// Service is what the hub does with settings.
type Service struct {
	Store  Store
	Outbox Outbox
	Holds  Holds
	Plans  Plans // nil: nothing is counted, and every agent asks its server's own model
	Record Record
	Live   Live
	Now    func() time.Time
	Log    *slog.Logger
}

// State reads what is set for the customer and what the server has made of it.
func (s *Service) State(ctx context.Context, of account.CustomerID) (State, error) {
	st, err := s.Store.State(ctx, of)
	if err != nil {
		return State{}, fmt.Errorf("settings: %w", err)
	}
	if st.Config.Version > 0 {
		return st, nil
	}
	b, err := s.business(ctx, of)
	if err != nil {
		return State{}, fmt.Errorf("settings: %w", err)
	}
	st.Config = first()
	take(&st.Config, b)
	return st, nil
}

// Current is the newest configuration of the customer; a server that registers starts with it. The first call makes
// version 1.
func (s *Service) Current(ctx context.Context, of account.CustomerID) (wire.Config, error) {
	st, err := s.Store.State(ctx, of)
	if err == nil && st.Config.Version > 0 {
		return st.Config, nil
	}
	if err != nil {
		return wire.Config{}, fmt.Errorf("settings: %w", err)
	}
	return s.Change(ctx, of, wire.Origin{Channel: "hub"}, func(*wire.Config) error { return nil })
}

// Change makes a new version: it is stored, put on its way to the server and recorded in one transaction. An edit
// that changes nothing makes none.
func (s *Service) Change(ctx context.Context, of account.CustomerID, who wire.Origin, edit Edit) (wire.Config, error) {
	changed := false
	st, err := s.Store.Change(ctx, of, s.Now().UTC(), func(ctx context.Context, was State) (*wire.Config, error) {
		b, err := s.business(ctx, of) // under the lock of the settings: an older one must not overwrite a newer
		if err != nil {
			return nil, err
		}
		next, err := s.next(was, b, who, edit)
		if err != nil || next == nil {
			return nil, err
		}
		if err := s.mayRaise(ctx, was, *next); err != nil {
			return nil, err
		}
		changed = true
		if err := s.chose(ctx, of, was, *next); err != nil {
			return nil, err
		}
		if err := s.noteFallen(ctx, of, *next, fellBack(was.base(), *next, b)); err != nil {
			return nil, err
		}
		return next, s.keep(ctx, of, was.ServerID, *next)
	})
	if err != nil {
		return wire.Config{}, fmt.Errorf("change settings: %w", err)
	}
	if changed {
		s.tell(ctx, of, st.ServerID)
	}
	return st.Config, nil
}

// chose tells the plan what happens when the pool is empty: only what was used since then is charged. The newest version is what it
// was told last, also one that the server refused.
func (s *Service) chose(ctx context.Context, of account.CustomerID, was State, next wire.Config) error {
	if s.Plans == nil || next.Spend.Beyond == was.Config.Spend.Beyond {
		return nil
	}
	return s.Plans.Chose(ctx, of, next.Spend.Beyond, actor(next.By))
}

// business is what the settings take from the customer's account and plan.
func (s *Service) business(ctx context.Context, of account.CustomerID) (Business, error) {
	b, err := s.Store.Business(ctx, of)
	if err == nil && s.Plans != nil {
		b.Allowance, err = s.Plans.Allowance(ctx, of)
	}
	return b, err
}

// mayRaise refuses what lets agents do more on a server that is on hold: what needs no leave any more asks nobody.
func (s *Service) mayRaise(ctx context.Context, was State, next wire.Config) error {
	if len(wire.Raises(was.base(), next)) == 0 {
		return nil
	}
	return s.Holds.MayAllow(ctx, was.ServerID)
}

// Refresh takes over what changed in the customer's account: a proven address, a new name, another time zone.
func (s *Service) Refresh(ctx context.Context, of account.CustomerID, who wire.Origin) error {
	_, err := s.Change(ctx, of, who, func(*wire.Config) error { return nil })
	return err
}

// next is the version that follows, or nil when nothing would change. Its number is above everything that the server
// ever reported, so that it is applied even when the hub was set back to an older copy of its data.
func (s *Service) next(was State, b Business, who wire.Origin, edit Edit) (*wire.Config, error) {
	base := was.base()
	c := clone(base)
	c.Signed = nil
	if err := edit(&c); err != nil {
		return nil, err
	}
	if err := afford(base, c, b); err != nil {
		return nil, err
	}
	take(&c, b)
	offered := c.Signed
	c.Signed = base.Signed
	if err := check(c); err != nil {
		return nil, err
	}
	if was.Config.Version > 0 && !was.Refused() && reflect.DeepEqual(c, clone(base)) {
		return nil, nil
	}
	c.Version, c.By = was.Next(), who
	var err error
	c.Signed, err = s.signed(was, wire.Raises(base, c), offered, c.Version)
	return &c, err
}

// noteFallen records which agents think with the usual model from now on, because no card is on file for theirs.
func (s *Service) noteFallen(ctx context.Context, of account.CustomerID, c wire.Config, fell map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(fell)) {
		err := s.Record.Add(ctx, audit.Entry{
			ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(), By: actor(c.By), CustomerID: string(of),
			Action: "config.model_fallback", Target: id, Details: map[string]string{"model": fell[id]},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keep puts the new version on its way and records it.
func (s *Service) keep(ctx context.Context, of account.CustomerID, id server.ID, c wire.Config) error {
	now := s.Now().UTC()
	f, err := relay.NewFrame(wire.TypeConfigPush, "", c, now)
	if err != nil {
		return err
	}
	if err := s.Outbox.Put(ctx, id, f); err != nil {
		return err
	}
	return s.Record.Add(ctx, audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: now, By: actor(c.By), CustomerID: string(of),
		Action: "config.change", Target: string(id), Details: map[string]string{"version": strconv.FormatInt(c.Version, 10)},
	})
}

func actor(who wire.Origin) audit.Actor {
	if who.UserID == "" {
		return audit.Itself
	}
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: who.Address}
}

// tell wakes the link and the open pages; the version is safe already.
func (s *Service) tell(ctx context.Context, of account.CustomerID, id server.ID) {
	if err := s.Live.Nudge(string(id)); err != nil {
		s.Log.WarnContext(ctx, "link not told of settings", "server_id", id, "error", err)
	}
	if err := s.Live.Notify(relay.Notice{Kind: relay.KindConfig, CustomerID: string(of), ID: string(id)}); err != nil {
		s.Log.WarnContext(ctx, "pages not told of settings", "server_id", id, "error", err)
	}
}

// Report keeps what a customer's server says about the version it runs, in the transaction of ctx. For one that has only parts of
// it a new version waits then.
func (s *Service) Report(ctx context.Context, of account.CustomerID, id server.ID, c wire.ConfigState) error {
	if err := s.Store.Report(ctx, id, c, s.Now().UTC()); err != nil {
		return fmt.Errorf("report settings: %w", err)
	}
	if !c.Partial {
		return nil
	}
	if err := s.renew(ctx, of, id); err != nil {
		return fmt.Errorf("renew settings: %w", err)
	}
	return nil
}
