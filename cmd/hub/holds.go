package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
	"gatehouse/db"
)

// holdsCommand is hub holds: which servers broke with their anchors, and the word of a person who has looked at one.
func holdsCommand(ctx context.Context, c call) error {
	do, err := holdsAct(c)
	if err != nil {
		return err
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL == "" {
		return errors.New("DATABASE_URL is needed to look at holds")
	}
	d, err := db.Open(ctx, cfg.DatabaseURL)
	if err != nil {
		return err
	}
	defer d.Close()
	return do(ctx, &receipt.Service{Store: &db.Checkpoints{DB: d}, Now: time.Now})
}

// holdsAct reads what is to be done.
func holdsAct(c call) (func(context.Context, *receipt.Service) error, error) {
	switch {
	case len(c.args) == 1 && c.args[0] == "list":
		return func(ctx context.Context, s *receipt.Service) error { return listHolds(ctx, s, c.out) }, nil
	case len(c.args) > 1 && c.args[0] == "release" && uuid.Validate(c.args[1]) == nil:
		id := server.ID(c.args[1])
		f := flag.NewFlagSet("hub holds release", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		reason := f.String("reason", "", "")
		if err := f.Parse(c.args[2:]); err != nil || f.NArg() > 0 {
			return nil, fmt.Errorf("hub holds release SERVER --reason TEXT: %w", errUsage)
		}
		return func(ctx context.Context, s *receipt.Service) error {
			if err := s.Release(ctx, id, audit.Itself, *reason); err != nil {
				return inWords(err)
			}
			_, err := fmt.Fprintf(c.out, "%s is released. Its log is anchored anew with its next checkpoint.\n", id)
			return err
		}, nil
	}
	return nil, fmt.Errorf("hub holds knows list and release SERVER --reason TEXT: %w", errUsage)
}

func listHolds(ctx context.Context, s *receipt.Service, out io.Writer) error {
	all, err := s.AllHeld(ctx)
	if err != nil {
		return err
	}
	for _, h := range all {
		if _, err := fmt.Fprintf(out, "%s  %s  %s\n", h.Server, h.At.UTC().Format(time.RFC3339), h.Why); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%d on hold\n", len(all))
	return err
}
