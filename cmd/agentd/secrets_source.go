package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// lookWithin is how long a command waits for agentd to have looked at the external vault, which may be slow.
const lookWithin = 90 * time.Second

// secretsSource says that a value comes from the external vault. Only the agentd that runs has a way in there. It exits
// with 1 when that finds no value.
func secretsSource(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	kind := c.flags.String("kind", "", "password, api_key, token, connection, private_key or other; without it the name says")
	if err := c.parse(2); err != nil {
		return err
	}
	name, place := c.flags.Arg(0), c.flags.Arg(1)
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		_, err := v.SetOrigin(ctx, name, *kind, place, operator())
		if err != nil {
			return err
		}
		if v.running {
			err = c.looked(ctx, v)
		}
		if errors.Is(err, errNoExternal) {
			_, err = fmt.Fprintf(c.out, "%s comes from %s; agentd fetches it when it is told of the vault: set AGENTD_KV_ADDR and start it again\n", name, place)
			return err
		}
		if err != nil {
			return err
		}
		i, err := v.Info(ctx, name)
		if err != nil {
			return err
		}
		if _, err = fmt.Fprintln(c.out, cameTo(i)); err == nil && i.Origin.Trouble != "" {
			err = errBroken
		}
		return err
	})
}

// cameTo says how a secret stands that comes from the external vault.
func cameTo(i wire.SecretInfo) string {
	text := i.Name + " comes " + sourceOf(i)
	if i.Origin.Trouble == "" && i.Origin.Version != 0 {
		text += fmt.Sprintf(", version %d there", i.Origin.Version)
	}
	return text
}

var errNoExternal = errors.New("the agentd that runs is told of no external vault; set AGENTD_KV_ADDR and start it again")

// looked waits until the agentd that runs has looked at the external vault.
func (c *call) looked(ctx context.Context, v *opened) error {
	e, err := vault.ReadExternal(ctx, v.db.Read())
	if err != nil {
		return err
	}
	if e.Address == "" {
		return errNoExternal
	}
	n, err := v.AskRefresh(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	if err := v.Refreshed(ctx, n); err != nil {
		return fmt.Errorf("agentd has not looked at the external vault yet; its log says why: %w", err)
	}
	return nil
}

// secretsRefresh exits with 1 when the external vault does not vouch for all that comes from it.
func secretsRefresh(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	return c.onVault(ctx, *dir, false, func(v *opened) error {
		if !v.running {
			return errors.New("no agentd runs on this state; it looks at the external vault when it starts")
		}
		if err := c.looked(ctx, v); err != nil {
			return err
		}
		all, err := v.List(ctx)
		if err != nil {
			return err
		}
		for _, i := range all {
			if i.Origin == nil {
				continue
			}
			if _, werr := fmt.Fprintln(c.out, cameTo(i)); werr != nil {
				return werr
			}
			if i.Origin.Trouble != "" || i.Origin.Version == 0 {
				err = errBroken
			}
		}
		return err
	})
}
