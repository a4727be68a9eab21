package team

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// renew makes a new version for a server that has only parts of the one it runs, because the program that kept it was older
// than what stands in it.
func (s *Service) renew(ctx context.Context, of account.CustomerID, id server.ID) error {
	_, err := s.Store.Change(ctx, of, s.Now().UTC(), func(ctx context.Context, was State) (*wire.Config, error) {
		if was.ServerID != id || was.Config.Version == 0 {
			return nil, nil // the customer's server is another one now
		}
		b, err := s.business(ctx, of)
		if err != nil {
			return nil, err
		}
		next, err := renewed(was, b)
		if err != nil {
			return nil, err
		}
		if err := s.chose(ctx, of, was, next); err != nil {
			return nil, err
		}
		return &next, s.keep(ctx, of, was.ServerID, next)
	})
	return err
}

// renewed is what was set, without what the server dropped although the owner had signed for it: the server takes it with a new
// signature alone, and one version that it refuses would keep back all that follow. What was signed for a version that is on its
// way still comes to it.
func renewed(was State, b Business) (wire.Config, error) {
	base := was.base()
	c := clone(base)
	c.Signed = pending(was, base)
	had := clone(base)
	had.Spend = wire.Spend{}
	for id, a := range had.Agents {
		a.Model, a.Day, a.Asks = "", 0, nil
		had.Agents[id] = a
	}
	for _, r := range wire.Raises(had, c) {
		there, err := signedFor(c.Signed, r)
		if err != nil {
			return c, err
		}
		switch body := r.Body.(type) {
		case wire.OverageBody:
			c.Spend.Beyond = there
		case wire.EmbeddingsBody:
			if !there {
				c.Spend.Embeddings = ""
			}
		case wire.AskBody:
			if a := c.Agents[body.Agent]; !there {
				a.Asks = without(a.Asks, body.Colleague)
				c.Agents[body.Agent] = a
			}
		case wire.ModelBody:
			if a := c.Agents[body.Agent]; !there {
				a.Model = ""
				c.Agents[body.Agent] = a
			}
		}
	}
	take(&c, b)
	c.Version, c.By = was.Next(), wire.Origin{Channel: "hub"}
	return c, nil
}

// without is a list of colleagues without one; nobody has one form.
func without(all []string, one string) []string {
	left := slices.DeleteFunc(slices.Clone(all), func(a string) bool { return a == one })
	if len(left) == 0 {
		return nil
	}
	return left
}

// signedFor says whether one of the changes is that raise.
func signedFor(all []wire.SignedChange, r wire.Raise) (bool, error) {
	want, err := canonical.Of(r.Body)
	if err != nil {
		return false, fmt.Errorf("write what is raised: %w", err)
	}
	return slices.ContainsFunc(all, func(c wire.SignedChange) bool {
		is, err := canonical.JSON(c.Body)
		return err == nil && c.Kind == r.Kind && bytes.Equal(is, want)
	}), nil
}
