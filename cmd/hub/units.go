package main

import (
	"context"
	"fmt"

	"gatehouse/cmd/hub/units"
)

// unitsCommand is hub units.
func unitsCommand(_ context.Context, c call) error {
	f := quietFlags("hub units")
	dir := f.String("dir", "", "")
	if err := f.Parse(c.args); err != nil || f.NArg() > 0 {
		return fmt.Errorf("hub units [--dir DIR]: %w", errUsage)
	}
	if *dir != "" {
		return units.Write(*dir)
	}
	for _, name := range units.Names() {
		text, err := units.Text(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.out, "### %s\n%s\n", name, text); err != nil {
			return err
		}
	}
	return nil
}
