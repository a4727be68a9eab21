package billing

import (
	"context"
	"errors"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/team"
)

// Allowance is what a customer's plan lets the team use now: the pool of the period that runs, and the models that are sold.
func (s *Service) Allowance(ctx context.Context, of account.CustomerID) (team.Allowance, error) {
	book, err := s.Store.Book(ctx)
	if err != nil {
		return team.Allowance{}, err
	}
	out := team.Allowance{}
	if out.Models, err = s.menu(book); err != nil {
		return out, err
	}
	if s.Paused != nil {
		if out.Paused, out.Since, err = s.Paused(ctx, of); err != nil {
			return out, err
		}
	}
	if out.NoCard, err = s.CardMissing(ctx, of); err != nil {
		return out, err
	}
	p, err := s.Store.ActiveOf(ctx, of)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return out, nil
	}
	if err == nil {
		out.Pool, err = pool(book, p)
	}
	return out, err
}

// CardMissing says that a customer has no means of payment on file where one is needed.
func (s *Service) CardMissing(ctx context.Context, of account.CustomerID) (bool, error) {
	if s.NoCard == nil {
		return false, nil
	}
	return s.NoCard(ctx, of)
}

// pool is the allotment of a period as its server keeps it.
func pool(book pricing.Book, p Period) (*wire.Pool, error) {
	d, err := compute(book, p, nil, nil, p.From)
	if err != nil {
		return nil, err
	}
	w, err := book.Weights(p.From)
	if err != nil {
		return nil, err
	}
	return &wire.Pool{
		From: p.From.UTC(), To: p.To.UTC(), Tokens: d.Pool,
		Weights: wire.Weights{Input: w.Input, Output: w.Output, CacheRead: w.CacheRead, CacheWrite: w.CacheWrite},
	}, nil
}

// menu is what is sold now: the model behind each preset, and those that cost extra.
func (s *Service) menu(book pricing.Book) (wire.ModelMenu, error) {
	var m wire.ModelMenu
	for _, name := range book.Names(pricing.KindModel) {
		price, err := book.Model(name, s.now())
		if errors.Is(err, pricing.ErrNoPrice) {
			continue // not sold, or not yet
		}
		if err != nil {
			return m, err
		}
		if price.Class == pricing.Premium {
			m.Premium = append(m.Premium, name)
		}
	}
	if s.Embeddings != nil {
		m.Embeddings = s.Embeddings()
	}
	if s.Presets == nil {
		return m, nil
	}
	for preset, model := range s.Presets() {
		if model == "" {
			continue
		}
		if m.Presets == nil {
			m.Presets = map[string]string{}
		}
		m.Presets[preset] = model
	}
	return m, nil
}

// Chose keeps that the team works on when the pool is empty, for money, or pauses. The owner's key has signed for the first;
// what is used from the hour of that choice on is charged.
func (s *Service) Chose(ctx context.Context, of account.CustomerID, beyond bool, by audit.Actor) error {
	now, word := s.now(), "pause"
	if beyond {
		word = "continue"
	}
	c := Choice{Overage: beyond, At: now, ByKind: string(by.Kind), ByID: by.ID, ByName: by.Name}
	return s.Store.Choose(ctx, of, c, *s.entry(of, by, "billing.overage", string(of), map[string]string{"choice": word}))
}
