package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

func (b *bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.out, format+"\n", args...) // a closed terminal does not stop the bench
}

// header says what the figures depend on.
func (b *bench) header() {
	b.say("Gatehouse benchmarks: the shipped programs as processes of their own, or a part of them in this one where a line says so; durability on.")
	b.say("Figures depend on the machine: %d cores shared with the load generator, Postgres and the model, %s, load %s at the start.",
		runtime.NumCPU(), runtime.Version(), load())
	b.say("\"others\" is the share of all processors that other programs took meanwhile; what they take is missing here.")
	if b.quick {
		b.say("Quick: few samples and one run. This shows that the bench works, not how fast Gatehouse is.")
	} else {
		b.say("Each value is the median of %d runs, unless its line says that it was taken once.", rounds)
	}
	b.say("")
}

// load is the machine's load average of the last minute.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(raw), " ")
	return one
}

// line is one row of the table, with how it was taken.
func (b *bench) line(f Figure, r Run, others float64) {
	sign, verdict := "<=", "ok"
	if f.More {
		sign = ">="
	}
	if !f.met(r.Value) {
		verdict = "MISSED"
	}
	how := f.How
	if f.Once {
		how += "; taken once"
	}
	if r.Note != "" {
		how += "; " + r.Note
	}
	b.say("%-38s %10s %-4s goal %s %-6s %-6s n=%-6d others %2.0f %%  %s",
		f.Name, number(r.Value), f.Unit, sign, number(f.Goal), verdict, r.N, others, how)
}

// ratioLine tells what a bare program did meanwhile.
func (b *bench) ratioLine(f Figure, r Result, bare Run) {
	goal := ""
	if f.Control.Goal > 0 {
		sign, verdict := "<=", "ok"
		if f.More {
			sign = ">="
		}
		if !f.ratioMet(r.Ratio) {
			verdict = "MISSED"
		}
		goal = fmt.Sprintf("goal %s %s %s", sign, number(f.Control.Goal), verdict)
	}
	how := f.Control.How
	if bare.Note != "" {
		how += "; " + bare.Note
	}
	b.say("    control %30s %-4s ratio %s %s  n=%d  %s", number(bare.Value), f.Unit, number(r.Ratio), goal, bare.N, how)
}

// memoryLine tells what the disk costs, or that the difference drowned.
func (b *bench) memoryLine(f Figure, durable float64, r Run) {
	verdict := "faster, so the disk is part of the figure above"
	if !f.faster(r.Value, durable) {
		verdict = "NOT faster: on this machine, now, other load weighs more than the disk does"
	}
	b.say("    all data in memory %19s %-4s %s", number(r.Value), f.Unit, verdict)
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// write keeps the figures in dir/bench.json, whole or not at all.
func write(dir string, figures []Result) error {
	if figures == nil {
		figures = []Result{}
	}
	raw, err := json.MarshalIndent(map[string]any{"figures": figures}, "", "  ")
	if err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	path := filepath.Join(dir, "bench.json")
	if err := os.WriteFile(path+".new", append(raw, '\n'), 0o644); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("bench.json: %w", err)
	}
	return nil
}
