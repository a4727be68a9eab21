package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

func secretsBind(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	none := c.flags.Bool("none", false, "nowhere anymore")
	var to []wire.SecretBinding
	c.flags.Func("to", "a place; give it again for each further one", func(s string) error {
		b, err := placeOf(s)
		to = append(to, b)
		return err
	})
	if err := c.parse(1); err != nil {
		return err
	}
	if *none == (len(to) > 0) {
		return fmt.Errorf("%w: give --to or --none", errUsage)
	}
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		i, err := v.Bind(ctx, c.flags.Arg(0), to, "", operator())
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "%s may be used in: %s\n", i.Name, places(i.Bindings))
		return err
	})
}

var errPlace = errors.New("a place is http_request:URL#header=NAME, http_request:URL#field=NAME or env_update:PATH#KEY")

// placeOf reads a place as it is typed.
func placeOf(s string) (wire.SecretBinding, error) {
	tool, rest, ok := strings.Cut(s, ":")
	where, what, ok2 := strings.Cut(rest, "#")
	if !ok || !ok2 {
		return wire.SecretBinding{}, errPlace
	}
	if tool == "env_update" {
		return wire.SecretBinding{Tool: tool, Field: rest}, nil
	}
	o, u, err := registry.OriginOf(where)
	kind, name, ok := strings.Cut(what, "=")
	if tool != "http_request" || err != nil || strings.Trim(u.Path, "/") != "" || !ok {
		return wire.SecretBinding{}, errPlace
	}
	b := wire.SecretBinding{Tool: tool, Scheme: o.Scheme, Host: o.Host, Port: o.Port}
	switch kind {
	case "header":
		b.Header = name
	case "field":
		b.Field = name
	default:
		return b, errPlace
	}
	return b, nil
}

func secretsVersions(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(1); err != nil {
		return err
	}
	return c.onVault(ctx, *dir, false, func(v *opened) error {
		i, err := v.Info(ctx, c.flags.Arg(0))
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "VERSION\tSTATE\tSOURCE\tMADE")
		for _, ver := range i.Versions {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", ver.N, ver.State, versionSource(ver), ver.CreatedAt.Format(time.RFC3339))
		}
		return w.Flush()
	})
}

// versionSource says where a version came from.
func versionSource(v wire.SecretVersion) string {
	if v.There == 0 {
		return v.Source
	}
	return fmt.Sprintf("%s version %d", v.Source, v.There)
}

func secretsRollback(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	to := c.flags.Int("to", 0, "the version, as secrets versions lists it (required)")
	if err := c.parse(1); err != nil {
		return err
	}
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		i, err := v.Rollback(ctx, c.flags.Arg(0), *to, operator())
		return c.said(i, fmt.Sprintf("is version %d again", *to), err)
	})
}

func secretsRemove(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(1); err != nil {
		return err
	}
	return c.onVault(ctx, *dir, true, func(v *opened) error { return v.Remove(ctx, c.flags.Arg(0), operator()) })
}

func secretsAudit(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	name := c.flags.String("name", "", "of one secret alone")
	if err := c.parse(0); err != nil {
		return err
	}
	return c.onVault(ctx, *dir, false, func(v *opened) error {
		page, err := v.Audit(ctx, wire.SecretAuditParams{Name: *name, Limit: 200})
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "TIME\tSECRET\tVERSION\tACT\tBY\tFOR")
		for _, it := range page.Items {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", it.Time.Format(time.RFC3339), it.Name, it.Version, it.Act, it.By, it.For)
		}
		return w.Flush()
	})
}

func secretsRekey(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	byPhrase := c.flags.Bool("passphrase", false, "make the key from a passphrase; agentd then needs it as the credential vault.passphrase")
	here := c.flags.Bool("here", false, "let a new key file in the state directory take the place of systemd's credential vault.key")
	if err := c.parse(0); err != nil {
		return err
	}
	if agentd.VaultKeys(*dir).ByCredential() && !*byPhrase && !*here {
		return errors.New("the vault's key is a credential of systemd, and a new one would lie in the state directory; nothing was changed. Say --here to want that, and take LoadCredential=vault.key out of the unit")
	}
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		var phrase *secret.Value
		if *byPhrase {
			words, err := c.ask("New passphrase of the vault: ")
			if err != nil {
				return err
			}
			phrase = &words
		}
		if err := v.Rekey(ctx, phrase, operator()); err != nil {
			return err
		}
		id, _, err := v.KeyID(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "the vault is sealed with master key %s now\n", id)
		return err
	})
}
