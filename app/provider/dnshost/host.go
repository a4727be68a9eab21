package dnshost

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gatehouse/app/dns"
)

// Provider is one company's or program's way to its zones. Names are complete, without the last dot. Only records of the types A,
// AAAA and CNAME are looked at.
type Provider interface {
	// Name says which one it is, for rows: "cloudflare".
	Name() string
	// Under lists the records of host and of all names below it.
	Under(ctx context.Context, zone, host string) ([]dns.Record, error)
	// Add adds a record beside those that are there. One that is there already is no error.
	Add(ctx context.Context, zone string, r dns.Record) error
	// Remove takes one record away. One that is gone already is no error.
	Remove(ctx context.Context, zone string, r dns.Record) error
}

// Book remembers which records we made, and for which order: nothing else is ever taken away. A record is in the book before it is
// made, so that it is known also after a crash in between.
type Book interface {
	// Ours lists the records that were made for an order in a zone of a provider.
	Ours(ctx context.Context, orderID, provider, zone string) ([]dns.Record, error)
	// Enter notes that a record is about to be made.
	Enter(ctx context.Context, orderID, provider, zone string, r dns.Record) error
	// Strike notes that a record was taken away.
	Strike(ctx context.Context, orderID, provider, zone string, r dns.Record) error
}

// Host makes records in one zone.
type Host struct {
	Provider Provider
	Zone     string
	Book     Book
}

// Ensure makes those of the wanted records that are not there, and takes away what was made for the order before and is no longer
// wanted. It may be repeated: what is there is not made again. It tells what it made.
func (h *Host) Ensure(ctx context.Context, orderID, host string, want []dns.Record) (made []dns.Record, err error) {
	there, err := h.Provider.Under(ctx, h.Zone, host)
	if err != nil {
		return nil, err
	}
	ours, err := h.Book.Ours(ctx, orderID, h.Provider.Name(), h.Zone)
	if err != nil {
		return nil, err
	}
	for _, old := range ours {
		if !has(want, old) {
			if err := h.remove(ctx, orderID, old); err != nil {
				return nil, err
			}
			there = slices.DeleteFunc(there, func(r dns.Record) bool { return same(r, old) })
		}
	}
	for _, w := range want {
		if has(there, w) {
			continue // ours, or somebody's who was quicker: then it stays theirs
		}
		if i := slices.IndexFunc(there, func(r dns.Record) bool { return r.Name == w.Name && r.Type == dns.CNAME }); i >= 0 {
			return made, &Error{Kind: InTheWay, Provider: h.Provider.Name(), Detail: there[i].Name + " CNAME " + there[i].Value}
		}
		if err := h.add(ctx, orderID, w); err != nil {
			return made, err
		}
		made = append(made, w)
	}
	return made, nil
}

func (h *Host) add(ctx context.Context, orderID string, r dns.Record) error {
	if err := h.Book.Enter(ctx, orderID, h.Provider.Name(), h.Zone, r); err != nil {
		return err
	}
	return h.Provider.Add(ctx, h.Zone, r)
}

// Release takes away what was made for an order.
func (h *Host) Release(ctx context.Context, orderID string) error {
	ours, err := h.Book.Ours(ctx, orderID, h.Provider.Name(), h.Zone)
	if err != nil {
		return err
	}
	for _, r := range ours {
		if err := h.remove(ctx, orderID, r); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) remove(ctx context.Context, orderID string, r dns.Record) error {
	if err := h.Provider.Remove(ctx, h.Zone, r); err != nil {
		return err
	}
	return h.Book.Strike(ctx, orderID, h.Provider.Name(), h.Zone, r)
}

func same(a, b dns.Record) bool { return a.Name == b.Name && a.Type == b.Type && a.Value == b.Value }

func has(all []dns.Record, r dns.Record) bool {
	return slices.ContainsFunc(all, func(o dns.Record) bool { return same(o, r) })
}

// Kind is what a provider's refusal means for people.
type Kind string

// The kinds of refusals.
const (
	Access   Kind = "access"     // the hub's token is refused, or may not do this: a person has to change it
	Zone     Kind = "zone"       // the provider does not have the zone
	InTheWay Kind = "in_the_way" // a record of somebody else keeps ours from being made
	Busy     Kind = "busy"       // too many requests: later
	Away     Kind = "away"       // no answer, or an error of its own: later
	Refused  Kind = "refused"    // the provider does not take what it was sent
)

// Error is a refusal of a provider. It holds no token.
type Error struct {
	Kind     Kind
	Provider string
	Detail   string // what the provider said, or what is in the way
	Err      error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Provider, e.Kind, errors.Join(errors.New(e.Detail), e.Err))
}

func (e *Error) Unwrap() error { return e.Err }

// Final says whether asking again by itself cannot help.
func (e *Error) Final() bool { return e.Kind != Busy && e.Kind != Away }
