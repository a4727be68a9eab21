package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gatehouse/agentd/policy"
)

// checkPermissions is "agentd check permissions": reads a permissions.yaml from standard input and names every line
// that is wrong.
func checkPermissions(_ context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(c.in, 1<<20))
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	m, err := policy.ParseManifest(text)
	var bad policy.Problems
	switch {
	case errors.As(err, &bad):
		for _, p := range bad {
			if _, err := fmt.Fprintf(c.out, "line %d: %s\n", p.Line, p.Text); err != nil {
				return err
			}
		}
		return errBroken
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(c.out, "%d rules, %d channels: ok\n", len(m.Rules), len(m.Channels))
	return err
}
