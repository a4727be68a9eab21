package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/doctor"
)

// runDoctor is "agentd doctor": exit 1 when something does not hold.
func runDoctor(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	data := c.dataFlag()
	asJSON := c.flags.Bool("json", false, "write the report as JSON")
	if err := c.parse(0); err != nil {
		return err
	}
	for _, p := range []*string{dir, data} { // programs are tried from inside the data folder
		abs, err := filepath.Abs(*p)
		if err != nil {
			return fmt.Errorf("find %s: %w", *p, err)
		}
		*p = abs
	}
	socket := os.Getenv("AGENTD_PROXY_SOCKET")
	if socket == "" {
		socket = agentd.OwnProxySocket(*dir)
	}
	r := doctor.Check(ctx, doctor.Input{
		Data: *data, State: *dir, Now: time.Now,
		ModelName: os.Getenv("MODEL_NAME"), ModelBaseURL: os.Getenv("MODEL_BASE_URL"), ProxySocket: socket,
	})
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
