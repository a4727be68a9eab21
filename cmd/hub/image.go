package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gatehouse/cmd/hub/image"
)

// imageCommand is hub image: this very program, and agentd beside it, as a container image.
func imageCommand(_ context.Context, c call) error {
	f := quietFlags("hub image")
	to := f.String("to", "", "")
	agentd := f.String("agentd", "", "")
	roots := f.String("roots", "/etc/ssl/certs/ca-certificates.crt", "")
	if err := f.Parse(c.args); err != nil || f.NArg() > 0 || *to == "" {
		return fmt.Errorf("hub image --to FILE [--agentd FILE] [--roots FILE]: %w", errUsage)
	}
	hub, err := os.Executable()
	if err != nil {
		return err
	}
	if *agentd == "" {
		*agentd = filepath.Join(filepath.Dir(hub), "agentd")
	}
	if err := image.Write(*to, image.Parts{Hub: hub, Agentd: *agentd, Roots: *roots}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%s holds the image. Next: docker load --input %[1]s\n", *to)
	return err
}
