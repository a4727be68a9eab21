package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gatehouse/cmd/hub/rig"
)

// rounds is how often a figure is taken; the median counts.
const rounds = 3

// bench holds what the figures share.
type bench struct {
	flags
	out      io.Writer
	tmp      string // where the programs were built; empty when they were there
	model    *model
	durable  *Stage     // on a disk; opened by the first figure
	volatile *Stage     // in memory; opened by the first figure that waits for a disk
	owned    []*os.File // locks of its folders
}

func newBench(ctx context.Context, f flags, out io.Writer) (*bench, error) {
	b := &bench{flags: f, out: out}
	if err := b.programs(); err != nil {
		return nil, errors.Join(err, b.close())
	}
	var err error
	if b.model, err = serveModel(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// programs builds hub and agentd, unless they were given.
func (b *bench) programs() (err error) {
	if b.bin != "" {
		b.bin, err = filepath.Abs(b.bin)
		return err
	}
	if b.tmp, err = b.folder(os.TempDir()); err != nil {
		return err
	}
	b.bin = b.tmp
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return rig.Build(root, b.tmp)
}

// moduleRoot is the folder of go.mod, at or above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("start it in the checkout, or give the folder of the programs with -bin")
}

// takeAll takes every figure that is asked for and prints each line as soon as it is known.
func (b *bench) takeAll(ctx context.Context) ([]Result, error) {
	b.header()
	var all []Result
	for _, f := range figures() {
		if !b.only.MatchString(f.Name) {
			continue
		}
		r, err := b.figure(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func (b *bench) figure(ctx context.Context, f Figure) (Result, error) {
	s, err := b.onDisk(ctx)
	if err != nil {
		return Result{}, err
	}
	before, err := s.look()
	if err != nil {
		return Result{}, err
	}
	got, bare, err := b.median(ctx, f, s)
	if err != nil {
		return Result{}, err
	}
	after, err := s.look()
	if err != nil {
		return Result{}, err
	}
	b.line(f, got, others(before, after))
	result := Result{Name: f.Name, Value: got.Value, Unit: f.Unit, Goal: f.Goal, N: got.N}
	if f.Control != nil {
		result.Control, result.Ratio = bare.Value, got.Value/bare.Value
		b.ratioLine(f, result, bare)
	}
	if f.Fsync && !b.quick {
		if err := b.inMemory(ctx, f, got.Value); err != nil {
			return Result{}, fmt.Errorf("in memory: %w", err)
		}
	}
	return result, nil
}

// median takes a figure several times, by turns with its control, and gives of both the run in the middle, with the
// samples of all.
func (b *bench) median(ctx context.Context, f Figure, s *Stage) (run, bare Run, err error) {
	n := rounds
	if f.Once || b.quick {
		n = 1
	}
	takes := []func(context.Context, *Stage) (Run, error){f.Take}
	if f.Control != nil {
		takes = append(takes, f.Control.Take)
	}
	runs := make([][]Run, len(takes))
	for range n {
		for i, take := range takes {
			if err := ctx.Err(); err != nil {
				return Run{}, Run{}, err
			}
			r, err := take(ctx, s)
			if err != nil {
				return Run{}, Run{}, err
			}
			runs[i] = append(runs[i], r)
		}
	}
	if f.Control != nil {
		bare = middle(runs[1])
	}
	return middle(runs[0]), bare, nil
}

// inMemory takes a figure again where fsync does nothing.
func (b *bench) inMemory(ctx context.Context, f Figure, durable float64) error {
	if b.volatile == nil {
		dir := memoryFolder()
		if dir == "" {
			b.say("    in memory: not taken, this machine has no tmpfs at %s", tmpfsAt)
			return nil
		}
		var err error
		if b.volatile, err = openStage(ctx, b, dir); err != nil {
			return err
		}
	}
	f.Control = nil
	got, _, err := b.median(ctx, f, b.volatile)
	if err != nil {
		return err
	}
	b.memoryLine(f, durable, got)
	return nil
}

func (b *bench) onDisk(ctx context.Context) (*Stage, error) {
	if b.durable != nil {
		return b.durable, nil
	}
	dir, err := onDisk()
	if err != nil {
		return nil, err
	}
	b.durable, err = openStage(ctx, b, dir)
	return b.durable, err
}

func (b *bench) close() error {
	var errs []error
	for _, s := range []*Stage{b.durable, b.volatile} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	if b.model != nil {
		errs = append(errs, b.model.Close())
	}
	if b.tmp != "" {
		errs = append(errs, os.RemoveAll(b.tmp))
	}
	for _, f := range b.owned {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
