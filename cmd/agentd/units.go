package main

import (
	"context"
	"fmt"

	"gatehouse/agentd/units"
)

// writeUnits is "agentd units": the systemd units of agentd and the model proxy with their firewall rules, to look at or
// into a folder.
func writeUnits(_ context.Context, c *call) error {
	dir := c.flags.String("write", "", "folder to write them into, such as /etc/systemd/system, where the firewall service looks for its rules; without it they are printed")
	if err := c.parse(0); err != nil {
		return err
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
