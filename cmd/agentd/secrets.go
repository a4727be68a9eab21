package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// noticeWithin is how long a command waits for the agentd that runs beside it.
const noticeWithin = 10 * time.Second

func init() {
	for _, s := range []struct {
		name string
		command
	}{
		{"secrets list", command{"[--state DIR]", "list the secrets of this server: names and where they may be used, no values", secretsList}},
		{"secrets set", command{"[--state DIR] [--kind K] [--expires TIME] NAME", "keep a value under tool.key; it is read from the standard input, or asked without echo", secretsSet}},
		{"secrets generate", command{"[--state DIR] [--length N] [--classes C,C] [--ambiguous] NAME", "make a value that nobody sees", secretsGenerate}},
		{"secrets rotate", command{"[--state DIR] [--generate] NAME", "keep a new version of a secret that was changed in its service", secretsRotate}},
		{"secrets bind", command{"[--state DIR] (--to PLACE ... | --none) NAME", "say where a secret may be used: http_request:URL#header=NAME, http_request:URL#field=NAME, env_update:PATH#KEY", secretsBind}},
		{"secrets source", command{"[--state DIR] [--kind K] NAME PATH#FIELD", "let a value come from a field of a secret in the external vault (AGENTD_KV_ADDR)", secretsSource}},
		{"secrets refresh", command{"[--state DIR]", "let the agentd that runs look at the external vault now, and say what came of it", secretsRefresh}},
		{"secrets import", command{"[--state DIR] FILE", "take in lines of TOOL_KEY=value from a file of mode 0600, or - for the standard input", secretsImport}},
		{"secrets versions", command{"[--state DIR] NAME", "list the versions that can be made current again", secretsVersions}},
		{"secrets rollback", command{"[--state DIR] --to N NAME", "make a former version current again", secretsRollback}},
		{"secrets remove", command{"[--state DIR] NAME", "take a secret out of use; its values stay redacted", secretsRemove}},
		{"secrets audit", command{"[--state DIR] [--name NAME]", "say who touched what, newest first", secretsAudit}},
		{"secrets rekey", command{"[--state DIR] [--passphrase | --here]", "put a new master key in place of the old; no value is touched", secretsRekey}},
	} {
		commands[s.name] = s.command
		order = append(order, s.name)
	}
}

// opened is a vault that a command works on.
type opened struct {
	*vault.Vault
	db      *store.DB
	running bool // an agentd works on the same state
}

// open opens the vault beside an agentd that may be running.
func (c *call) open(ctx context.Context, dir string) (*opened, error) {
	if err := ownState(dir); err != nil {
		return nil, err
	}
	running := store.Running(dir)
	db, err := store.OpenBeside(dir, time.Now)
	if err != nil {
		return nil, err
	}
	keys := agentd.VaultKeys(dir)
	keys.Passphrase = func() (secret.Value, error) { return c.ask("Passphrase of the vault: ") }
	v, err := vault.Open(ctx, db, keys, time.Now)
	if errors.Is(err, vault.ErrKey) && keys.Credentials == "" {
		err = fmt.Errorf("%w.\nWhere systemd holds the vault's key, run this with it:\n  %s", err, asService)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &opened{v, db, running}, nil
}

// onVault runs fn on the vault. Once fn has changed something, it waits until a running agentd has noticed.
func (c *call) onVault(ctx context.Context, dir string, changes bool, fn func(v *opened) error) error {
	v, err := c.open(ctx, dir)
	if err != nil {
		return err
	}
	err = fn(v)
	if err == nil && changes {
		err = c.noticed(ctx, v)
	}
	return errors.Join(err, v.db.Close())
}

func (c *call) noticed(ctx context.Context, v *opened) error {
	if !v.running {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, noticeWithin)
	defer cancel()
	if err := v.Noticed(ctx); err != nil {
		return fmt.Errorf("it is kept, but the agentd that runs has not noticed yet; restart it: %w", err)
	}
	return nil
}

// operator is who acts, for the audit.
func operator() string { return fmt.Sprintf("operator (user %d)", os.Getuid()) }

func secretsList(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	return c.onVault(ctx, *dir, false, func(v *opened) error {
		all, err := v.List(ctx)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tKIND\tVERSION\tROTATED\tSOURCE\tBOUND TO")
		for _, i := range all {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", i.Name, i.Kind, i.Version, day(i.RotatedAt), sourceOf(i), places(i.Bindings))
		}
		return w.Flush()
	})
}

// day is a date; nothing for none.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.DateOnly)
}

// sourceOf says where a value comes from, and what is wrong with that.
func sourceOf(i wire.SecretInfo) string {
	o := i.Origin
	if o == nil {
		return i.Source
	}
	from := "from " + o.Path + "#" + o.Field
	switch {
	case o.Trouble != "":
		return from + ": " + o.Trouble
	case o.Version == 0:
		return from + ": not fetched yet"
	}
	return from
}

func places(all []wire.SecretBinding) string {
	if len(all) == 0 {
		return "nothing"
	}
	var out []string
	for _, b := range all {
		out = append(out, gate.Use{Tool: b.Tool, Scheme: b.Scheme, Host: b.Host, Port: b.Port, Header: b.Header, Field: b.Field}.Destination())
	}
	return strings.Join(out, "; ")
}

func secretsSet(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	kind := c.flags.String("kind", "", "password, api_key, token, connection, private_key or other; without it the name says")
	expires := c.flags.String("expires", "", "when it ends to be good, RFC 3339")
	if err := c.parse(1); err != nil {
		return err
	}
	var until time.Time
	if *expires != "" {
		var err error
		if until, err = time.Parse(time.RFC3339, *expires); err != nil {
			return fmt.Errorf("%w: --expires is no RFC 3339 time", errUsage)
		}
	}
	return c.keep(ctx, *dir, vault.New{Name: c.flags.Arg(0), Kind: *kind, Source: vault.FromOwner, ExpiresAt: until.UTC(), By: operator()})
}

// keep reads a value and puts it into the vault.
func (c *call) keep(ctx context.Context, dir string, n vault.New) error {
	if err := vault.CheckName(n.Name); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return c.onVault(ctx, dir, true, func(v *opened) (err error) {
		was, err := v.Info(ctx, n.Name)
		if err != nil && !errors.Is(err, vault.ErrUnknown) {
			return err
		}
		if n.Value, err = c.ask("Value of " + n.Name + ": "); err != nil {
			return err
		}
		c.warnIfShort(n)
		n.Local = was.Origin != nil // what the operator types takes the place of what is fetched
		i, err := v.Put(ctx, n)
		if err == nil && n.Local {
			_, err = fmt.Fprintf(c.out, "%s does not come from %s#%s anymore: its value lives here now\n", n.Name, was.Origin.Path, was.Origin.Field)
		}
		return c.said(i, "kept", err)
	})
}

// warnIfShort is warnShort for a value that was typed.
func (c *call) warnIfShort(n vault.New) {
	if !n.Value.Empty() && vault.Short(n.Value) {
		c.warnShort(n.Name)
	}
}

// warnShort says what a short value is not protected from.
func (c *call) warnShort(name string) {
	say(c.errOut, name+" is shorter than 8 characters: it cannot be told from other text, and is hidden only where its name stands beside it.\n", 0)
}

func (c *call) said(i wire.SecretInfo, what string, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s %s, version %d\n", i.Name, what, i.Version)
	return err
}

func secretsGenerate(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	kind := c.flags.String("kind", "", "password, api_key, token, connection, private_key or other")
	length := c.flags.Int("length", 0, "characters; 0: 32")
	classes := c.flags.String("classes", "", "of lower, upper, digit, symbol, with commas; empty: the first three")
	alike := c.flags.Bool("ambiguous", false, "also characters that look alike")
	if err := c.parse(1); err != nil {
		return err
	}
	limits := wire.SecretConstraints{Length: *length, Ambiguous: *alike}
	if *classes != "" {
		limits.Classes = strings.Split(*classes, ",")
	}
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		i, err := v.Generate(ctx, vault.New{Name: c.flags.Arg(0), Kind: *kind, By: operator()}, limits)
		return c.said(i, "made", err)
	})
}

// secretsRotate is for secrets that agentd cannot change in their service by itself: the operator has done that.
func secretsRotate(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	make := c.flags.Bool("generate", false, "make the value by the constraints of the secret; reveal it in the portal to enter it in the service")
	if err := c.parse(1); err != nil {
		return err
	}
	name := c.flags.Arg(0)
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		i, err := v.Info(ctx, name)
		if err != nil {
			return err
		}
		n := vault.New{Name: name, Source: vault.FromOwner, By: operator(), For: "rotation"}
		if *make {
			i, err = v.Generate(ctx, n, i.Constraints)
			return c.said(i, "rotated", err)
		}
		if n.Value, err = c.ask("New value of " + name + ": "); err != nil {
			return err
		}
		c.warnIfShort(n)
		i, err = v.Put(ctx, n)
		return c.said(i, "rotated", err)
	})
}

func secretsImport(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(1); err != nil {
		return err
	}
	raw, err := c.lines(c.flags.Arg(0))
	if err != nil {
		return err
	}
	return c.onVault(ctx, *dir, true, func(v *opened) error {
		got, err := v.Import(ctx, raw, vault.FromOwner, operator(), "import")
		if err != nil {
			return err
		}
		for _, name := range got.Short {
			c.warnShort(name)
		}
		_, err = fmt.Fprintf(c.out, "%d new values; shred the file now\n", got.New)
		return err
	})
}

func (c *call) lines(file string) ([]byte, error) {
	if file != "-" {
		return vault.ReadPrivate(file)
	}
	return io.ReadAll(io.LimitReader(c.in, 1<<20))
}
