package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

func init() {
	commands["staged list"] = command{"[--state DIR]", "list the writes of the last 30 days that can be taken back, newest first", stagedList}
	commands["staged restore"] = command{"[--state DIR] [--data DIR] [--anyway] CALL", "put back what a write has replaced; the owner's rules hold, and receipts say it", stagedRestore}
	order = append(order, "staged list", "staged restore")
}

func stagedList(_ context.Context, c *call) error {
	dir := c.stateFlag()
	if err := c.parse(0); err != nil {
		return err
	}
	all, err := filewrite.List(*dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tCALL\tWHAT\tFILE")
	for _, k := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%q\n", k.Time.Format(time.RFC3339), k.Call, whatOf(k), k.Path)
	}
	return w.Flush()
}

func whatOf(k filewrite.Kept) string {
	switch {
	case k.Restores != "":
		return "put back"
	case k.New:
		return "new"
	}
	return "changed"
}

// stagedRestore is "agentd staged restore": exit 1 when nothing was put back.
func stagedRestore(ctx context.Context, c *call) error {
	dir, data := c.stateFlag(), c.dataFlag()
	anyway := c.flags.Bool("anyway", false, "even if the file was changed since; what is there now is kept as well")
	if err := c.parse(1); err != nil {
		return err
	}
	all, err := filewrite.List(*dir)
	if err != nil {
		return err
	}
	id := c.flags.Arg(0)
	i := slices.IndexFunc(all, func(k filewrite.Kept) bool { return k.Call == id })
	if i < 0 {
		return fmt.Errorf("no write %q is kept; agentd staged list names those that are", id)
	}
	return c.onVault(ctx, *dir, false, func(v *opened) error {
		if err := v.Subscribe(func(all []redact.Known) { redact.Current().SetSecrets(all) }); err != nil {
			return err
		}
		return c.restore(ctx, v, agentd.OperatorDeps{State: *dir, Data: *data}, policy.FileRestoreArgs{Path: all[i].Path, Call: id, Anyway: *anyway})
	})
}

func (c *call) restore(ctx context.Context, v *opened, d agentd.OperatorDeps, in policy.FileRestoreArgs) error {
	d.DB, d.Now, d.Log = v.db, time.Now, slog.New(slog.NewJSONHandler(redacted{c.errOut}, nil))
	o, err := agentd.NewOperator(ctx, d)
	if err != nil {
		return err
	}
	out, err := o.Restore(ctx, in)
	if closed := o.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if out.State != wire.ToolDone {
		return notDone(out)
	}
	_, err = io.WriteString(c.out, out.Result.Summary+"\n")
	return err
}

func notDone(out gate.Outcome) error { return fmt.Errorf("%s: %s", out.State, out.Text) }

// dataFlag is where a command looks for the data.
func (c *call) dataFlag() *string {
	dir := os.Getenv("AGENTD_DATA")
	if dir == "" {
		dir = "/opt/gatehouse"
	}
	return c.flags.String("data", dir, "data folder")
}
