package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// The names of the providers, as in rows.
const (
	Local   = "local"
	Pool    = "pool"
	Netcup  = "netcup"
	Hetzner = "hetzner"
)

// Asker asks a provider whether it answers, and how many machines there are.
type Asker func(ctx context.Context) (machines int, err error)

// Service is what pages and the API do with providers.
type Service struct {
	Account  Account
	Links    LinkStore
	Machines MachineStore
	Checks   CheckStore
	Askers   map[string]Asker // of the providers that can be asked
	Key      func() bool      // whether the settings have a token for Hetzner
	Codes    staff.Confirmer  // checks the codes with which our staff confirm that a machine is wiped
	Now      func() time.Time
}

// Refusals.
var (
	ErrAway = fault.New(fault.Away, "provider-away", "provider does not answer",
		"The provider does not answer as it should. Nothing was changed. Try again in some minutes.")
	ErrCannotAsk = fault.New(fault.NotFound, "no-provider", "no provider of that name that can be asked",
		"There is no provider of this name that can be asked.")
	errNoAddress = fault.New(fault.Conflict, "machine-address", "machine has no IPv4 address",
		"This machine has no IPv4 address at netcup. Nothing was changed. Give it one there, then adopt it.")
)

// Link is how the hub is connected to netcup, without any secret. An ask whose time is over has ended.
func (s *Service) Link(ctx context.Context) (Link, error) {
	l, err := s.Links.Link(ctx)
	return shown(l, s.Now()), err
}

// shown takes the secrets out of a link. That there is a lasting token is no secret.
func shown(l Link, now time.Time) Link {
	if l.Refresh != "" {
		l.Refresh = "set"
	}
	l.Access, l.Ask.Device = "", ""
	if l.Ask.Code != "" && l.Ask.End == Waiting && !now.Before(l.Ask.Until) {
		l.Ask.End = Expired
	}
	return l
}

// Connect asks netcup for a code that somebody says yes to there. While one waits, it is the same again.
func (s *Service) Connect(ctx context.Context, by audit.Actor) (Link, error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return Link{}, err
	}
	return s.changeLink(ctx, func(ctx context.Context, l *Link) (*audit.Entry, error) {
		if l.Ask.Open(s.Now()) {
			return nil, nil
		}
		ask, err := s.Account.Ask(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", ErrAway, err)
		}
		ask.By, ask.At = by.Name, s.Now().UTC()
		l.Ask = ask
		return s.entry(by, "netcup.ask", Netcup, nil)
	})
}

// Poll asks netcup whether somebody said yes, not more often than netcup wants to be asked, whoever looks.
func (s *Service) Poll(ctx context.Context, by audit.Actor) (Link, error) {
	l, err := s.Links.Link(ctx)
	if err != nil || !s.due(l) {
		return shown(l, s.Now()), err
	}
	var failed error
	l, err = s.changeLink(ctx, func(ctx context.Context, l *Link) (*audit.Entry, error) {
		if !s.due(*l) {
			return nil, nil // another process asked meanwhile
		}
		grant, answer, err := s.Account.Poll(ctx, l.Ask)
		if err != nil {
			failed = fmt.Errorf("%w (%w)", ErrAway, err)
			l.Ask.Next = s.Now().UTC().Add(pause(l.Ask, err))
			return nil, nil
		}
		return s.answered(l, grant, answer, by)
	})
	return l, cmp.Or(err, failed)
}

// pause is how long netcup is left alone after an answer that says nothing of the ask.
func pause(a Ask, err error) time.Duration {
	var later interface{ After() time.Duration }
	if errors.As(err, &later) {
		return max(a.Every, later.After())
	}
	return a.Every
}

func (s *Service) due(l Link) bool { return l.Ask.Open(s.Now()) && !s.Now().Before(l.Ask.Next) }

// slower is what RFC 8628 adds to the pause when netcup asks for that.
const slower = 5 * time.Second

func (s *Service) answered(l *Link, g Grant, answer Answer, by audit.Actor) (*audit.Entry, error) {
	now := s.Now().UTC()
	switch answer {
	case Yes:
		*l = Link{
			Refresh: g.Refresh, Access: g.Access, AccessUntil: g.Until, AccountID: g.AccountID, Account: g.Account,
			By: l.Ask.By, At: now, RefreshedAt: now,
		}
		return s.entry(by, "netcup.connect", Netcup, map[string]string{"account": g.Account, "asked_by": l.By})
	case No:
		l.Ask.End = Refused
	case TooLate:
		l.Ask.End = Expired
	case Slower:
		l.Ask.Every += slower
		l.Ask.Next = now.Add(l.Ask.Every)
	default:
		l.Ask.Next = now.Add(l.Ask.Every)
	}
	if l.Ask.End != Waiting {
		l.Ask.Device = ""
	}
	return nil, nil
}

// Follow is Poll for an ask that nobody has a page open for.
func (s *Service) Follow(ctx context.Context) (int, error) {
	l, err := s.Links.Link(ctx)
	if err != nil || !s.due(l) {
		return 0, err
	}
	l, err = s.Poll(ctx, audit.Itself)
	if err == nil && l.Connected() && l.Ask.Code == "" {
		return 1, nil
	}
	return 0, err
}

// Stop gives an ask up.
func (s *Service) Stop(ctx context.Context, by audit.Actor) (Link, error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return Link{}, err
	}
	return s.changeLink(ctx, func(_ context.Context, l *Link) (*audit.Entry, error) {
		if !l.Ask.Open(s.Now()) {
			return nil, nil
		}
		l.Ask.End, l.Ask.Device = Stopped, ""
		return s.entry(by, "netcup.stop", Netcup, nil)
	})
}

// Disconnect ends the connection, here and at netcup. Machines stay as they are: servers go on running, and what is being wiped waits.
// Ended says whether netcup answered; the hub forgets the token either way.
func (s *Service) Disconnect(ctx context.Context, by audit.Actor) (ended bool, err error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return false, err
	}
	token := ""
	_, err = s.changeLink(ctx, func(_ context.Context, l *Link) (*audit.Entry, error) {
		if !l.Connected() {
			return nil, ErrNotConnected
		}
		token = l.Refresh
		account := l.Account
		*l = Link{}
		return s.entry(by, "netcup.disconnect", Netcup, map[string]string{"account": account})
	})
	if err != nil {
		return false, err
	}
	return s.Account.Revoke(context.WithoutCancel(ctx), token) == nil, nil
}

// changeLink changes the link and gives it without its secrets.
func (s *Service) changeLink(ctx context.Context, fn func(context.Context, *Link) (*audit.Entry, error)) (Link, error) {
	l, err := Keep(ctx, s.Links, fn)
	if err != nil {
		return Link{}, err
	}
	return shown(l, s.Now()), nil
}

func (s *Service) entry(by audit.Actor, action, target string, details map[string]string) (*audit.Entry, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", action, err)
	}
	return &audit.Entry{ID: id.String(), At: s.Now().UTC(), By: by, Action: action, Target: target, Details: details}, nil
}

// Check asks a provider whether it answers, and keeps what came back.
func (s *Service) Check(ctx context.Context, provider string, by audit.Actor) (Check, error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return Check{}, err
	}
	ask := s.Askers[provider]
	if ask == nil {
		return Check{}, ErrCannotAsk
	}
	c := Check{Provider: provider, By: by.Name}
	machines, err := ask(ctx)
	if c.At = s.Now().UTC(); err == nil {
		c.OK, c.Said = true, "It answers. Machines in the account: "+strconv.Itoa(machines)+"."
	} else {
		c.Said = reason(err)
	}
	if err := ctx.Err(); err != nil {
		return Check{}, err
	}
	return c, s.Checks.Keep(ctx, c)
}

// Overview is how it stands with all providers.
type Overview struct {
	Link     Link // without secrets
	Machines []Machine
	Checks   map[string]Check
	Used     map[string]int // servers, by provider

	PoolFree   int  // machines of our own that wait
	HetznerKey bool // the settings have a token for it
}

// Overview says how it stands. It asks no provider.
func (s *Service) Overview(ctx context.Context) (all Overview, err error) {
	if all.Link, err = s.Link(ctx); err != nil {
		return all, err
	}
	if all.Machines, err = s.Machines.List(ctx); err != nil {
		return all, err
	}
	if all.Checks, err = s.Checks.Checks(ctx); err != nil {
		return all, err
	}
	if all.Used, err = s.Checks.Used(ctx); err != nil {
		return all, err
	}
	all.HetznerKey = s.Key()
	all.PoolFree, err = s.Checks.PoolFree(ctx)
	return all, err
}
