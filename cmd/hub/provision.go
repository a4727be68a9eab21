package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"golang.org/x/crypto/ssh"

	"gatehouse/app/order"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/setting"
	"gatehouse/db"
)

// dryRun is what hub provision is asked for.
type dryRun struct {
	host    string // the machine's address
	order   order.ID
	scripts bool // print what would run, too
	offline bool // do not ask the machine
	port    int
	login   string
}

// provisionCommand is hub provision: the plan of setting up an order's machine, and how far a machine is by the checks of the steps, when
// it lets the hub in. It changes nothing; setting machines up is the workers' task, which keep each other off the same one.
func provisionCommand(ctx context.Context, c call) error {
	ask, err := dryRunOf(c.args)
	if err != nil {
		return err
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL == "" {
		return errors.New("DATABASE_URL is needed to find the order")
	}
	d, err := db.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return err
	}
	defer d.Close()
	o, err := (&db.Orders{DB: d}).Find(ctx, ask.order)
	if err != nil {
		return inWords(err)
	}
	var notes []setup.Note
	if o.ServerID != "" {
		if notes, err = (&db.Setups{DB: d, Now: time.Now}).Notes(ctx, o.ServerID); err != nil {
			return err
		}
	}
	if err := printPlan(c.out, ask, cfg, o, notes); err != nil || ask.offline {
		return err
	}
	return printExamined(ctx, c.out, ask, cfg, d, o)
}

// examineWithin is how long all checks may take together.
const examineWithin = 2 * time.Minute

// printExamined asks the machine itself, by the checks of the steps.
func printExamined(ctx context.Context, out io.Writer, ask dryRun, cfg config, d *db.DB, o order.Order) error {
	runner, err := ask.runner(ctx, cfg, d)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, examineWithin)
	defer cancel()
	at := ask.machine(ctx, d, o)
	plan := runner.Named(cfg.plan(), cfg.names().Host(o.Domain, o.Slug))
	plan.AdminKey, plan.ServerID = o.AdminKey, o.ServerID
	if plan.Commands, err = commandsKey(cfg); err != nil {
		return err
	}
	met, all, err := runner.Examine(ctx, at, plan)
	if err != nil {
		_, err = fmt.Fprintf(out, "\nThe machine was not asked, so this is the plan alone: %v\n", err)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nAsked over SSH at %s, port %d. Only checks ran there, and they change nothing.\n", met.Address, met.Ports[0])
	if at.HostKey == "" {
		fmt.Fprintf(&b, "Its host key was not known before: %s\n", met.HostKey)
	}
	for _, f := range all {
		state := "would do"
		switch {
		case f.Text != "":
			state = "cannot be checked: " + f.Text
		case f.Done:
			state = "already done"
		}
		fmt.Fprintf(&b, "%2d  %-10s %s\n", f.Step.Number, f.Step.Name, state)
	}
	_, err = io.WriteString(out, b.String())
	return err
}

// runner comes in with the hub's own key. It makes none: a hub without one has set no machine up.
func (a dryRun) runner(ctx context.Context, cfg config, d *db.DB) (*setup.Runner, error) {
	keys, err := db.ReadKeyring(cfg.keyFile())
	if err != nil {
		return nil, fmt.Errorf("the hub's SSH key cannot be opened, and --offline does without: %w", err)
	}
	seed, err := (&db.HubSecrets{DB: d, Keys: keys}).Get(ctx, sshKey, func() ([]byte, error) {
		return nil, errors.New("this hub has no SSH key yet; it is made when the hub first starts")
	})
	if err != nil {
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		return nil, fmt.Errorf("the hub's SSH key: %w", err)
	}
	authority := settingsOf(cfg, d, keys, slog.New(slog.DiscardHandler)).Text(setting.NamesACME)
	return &setup.Runner{Key: signer, Agentd: cfg.AgentdBin, Rules: setup.Rules{Authority: authority}}, nil
}

// machine is the machine that is asked: with the host key that is known of it, when it is the one on record for the order.
func (a dryRun) machine(ctx context.Context, d *db.DB, o order.Order) target.Machine {
	at := target.Machine{Address: a.host, Ports: []int{a.port}, Login: a.login}
	if o.ServerID == "" {
		return at
	}
	if m, err := (&db.Pool{DB: d}).OfServer(ctx, o.ServerID); err == nil && m.Address == a.host {
		at.HostKey = m.HostKey
	}
	if m, err := (&db.Rented{DB: d}).Rented(ctx, o.ServerID); err == nil && m.Address == a.host {
		at.HostKey = m.HostKey
	}
	return at
}

func dryRunOf(args []string) (ask dryRun, err error) {
	f := flag.NewFlagSet("hub provision", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	dry := f.Bool("dry-run", false, "")
	f.StringVar(&ask.host, "host", "", "")
	id := f.String("order", "", "")
	f.BoolVar(&ask.scripts, "scripts", false, "")
	f.BoolVar(&ask.offline, "offline", false, "")
	f.IntVar(&ask.port, "port", 22, "")
	f.StringVar(&ask.login, "login", "root", "")
	if err := f.Parse(args); err != nil || f.NArg() > 0 || ask.host == "" || uuid.Validate(*id) != nil {
		const usage = "hub provision --dry-run --host HOST --order ID [--scripts] [--offline] [--port 22] [--login root]"
		return ask, fmt.Errorf("%s: %w", usage, errUsage)
	}
	if !*dry {
		return ask, fmt.Errorf("the workers set machines up; this prints the plan with --dry-run: %w", errUsage)
	}
	ask.order = order.ID(*id)
	return ask, nil
}

// printPlan prints the steps in their order, and how far the machine of the order is by its record.
func printPlan(out io.Writer, ask dryRun, cfg config, o order.Order, notes []setup.Note) error {
	known := map[string]setup.Note{}
	for _, n := range notes {
		known[n.Step] = n
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Plan for order %d of %s, which is at %s, on %s. Nothing is changed.\n", o.Number, o.CustomerName, o.State, ask.host)
	fmt.Fprintf(&b, "agentd comes from %s and reaches the hub at %s. Its model: %s.\n", cfg.AgentdBin, cfg.AgentHub, modelOf(cfg))
	for _, s := range setup.Steps() {
		fmt.Fprintf(&b, "%2d  %-10s %s", s.Number, s.Name, s.About())
		if n, ok := known[s.Name]; ok {
			fmt.Fprintf(&b, " [attempt %d: %s]", n.Attempt, n.State)
		}
		b.WriteString("\n")
		if ask.scripts {
			b.WriteString("\n    " + strings.ReplaceAll(strings.TrimSpace(s.Script()), "\n", "\n    ") + "\n\n")
		}
	}
	b.WriteString("Each step is checked first and left alone when its check is content.\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func modelOf(cfg config) string {
	if cfg.ModelBaseURL == "" {
		return "the built-in rehearsal"
	}
	return cfg.ModelName + " at " + cfg.ModelBaseURL
}
