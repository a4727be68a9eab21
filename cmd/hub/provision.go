package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/db"
)

// dryRun is what hub provision is asked for.
type dryRun struct {
	host    string // the machine's address
	order   order.ID
	scripts bool // print what would run, too
}

// provisionCommand is hub provision: the plan of setting up an order's machine. It reaches no machine and changes nothing; setting
// machines up is the workers' task, which keep each other off the same one.
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
	return printPlan(c.out, ask, cfg, o, notes)
}

func dryRunOf(args []string) (ask dryRun, err error) {
	f := flag.NewFlagSet("hub provision", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	dry := f.Bool("dry-run", false, "")
	f.StringVar(&ask.host, "host", "", "")
	id := f.String("order", "", "")
	f.BoolVar(&ask.scripts, "scripts", false, "")
	if err := f.Parse(args); err != nil || f.NArg() > 0 || ask.host == "" || uuid.Validate(*id) != nil {
		return ask, fmt.Errorf("hub provision --dry-run --host HOST --order ID [--scripts]: %w", errUsage)
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
