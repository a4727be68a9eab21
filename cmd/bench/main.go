package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"gatehouse/agentd/procmem"
	"gatehouse/cmd/bench/bare"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the bench at once; what it started then ends by itself
	do := func() error { return run(ctx, os.Args[1:], os.Stdout) }
	if kind := os.Getenv(bare.Kind); kind != "" {
		do = func() error { return bare.Serve(ctx, kind) }
	}
	err := do()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// flags are how bench was called.
type flags struct {
	only  *regexp.Regexp
	quick bool
	bin   string // folder of the built programs; empty: build them
	dir   string // where bench.json goes
}

func parse(args []string) (flags, error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	only := f.String("run", "", "take only figures whose name matches this regular expression")
	quick := f.Bool("quick", false, "few samples and one run: shows that it works, not how fast it is")
	bin := f.String("bin", "", "folder with hub and agentd; they are built without it")
	if err := f.Parse(args); err != nil {
		f.SetOutput(os.Stderr)
		f.Usage()
		return flags{}, err
	}
	re, err := regexp.Compile(*only)
	if err != nil {
		return flags{}, fmt.Errorf("-run: %w", err)
	}
	dir := os.Getenv("GATEHOUSE_DIR")
	if dir == "" {
		dir = "./var"
	}
	return flags{only: re, quick: *quick, bin: *bin, dir: dir}, nil
}

// run takes the figures that are asked for, in the order of the table.
func run(ctx context.Context, args []string, out io.Writer) (err error) {
	f, err := parse(args)
	if err != nil {
		return err
	}
	if err := sweepAll(ctx); err != nil {
		return err
	}
	b, err := newBench(ctx, f, out)
	if err != nil {
		return err
	}
	defer func() { err = firstOf(err, b.close()) }()
	if err := procmem.Settle(); err != nil { // agentd's packages that are measured in this process have the memory of agentd
		return err
	}
	results, err := b.takeAll(ctx)
	if err != nil {
		return err
	}
	return write(f.dir, results)
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
