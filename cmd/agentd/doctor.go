package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"gatehouse/agentd/doctor"
)

// runDoctor is "agentd doctor": exit 1 when something does not hold.
func runDoctor(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	data := os.Getenv("AGENTD_DATA")
	if data == "" {
		data = "/opt/gatehouse"
	}
	c.flags.StringVar(&data, "data", data, "data folder")
	asJSON := c.flags.Bool("json", false, "write the report as JSON")
	if err := c.parse(0); err != nil {
		return err
	}
	r := doctor.Check(ctx, doctor.Input{Data: data, State: *dir, Now: time.Now})
	write := func() error { return r.WriteText(c.out) }
	if *asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		write = func() error { return enc.Encode(r) }
	}
	if err := write(); err != nil {
		return err
	}
	if r.Worst == doctor.Fail {
		return errBroken
	}
	return nil
}
