package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	probeName   = "probe"
	probeWithin = 10 * time.Second
)

type probeArgs struct {
	Secret     string `json:"secret"`
	Namespaces bool   `json:"namespaces"`
}

// probeProgram tries from the inside what must not work. Each line it prints is a wall that did not hold.
var probeProgram = Program{Name: probeName, Run: func(raw json.RawMessage, scratch string) int {
	var a probeArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		fmt.Println("probe not understood")
		return 1
	}
	failed := 0
	for _, wall := range walls(a, scratch) {
		if !wall.holds() {
			fmt.Println(wall.broken)
			failed = 1
		}
	}
	return failed
}}

type wall struct {
	broken string
	holds  func() bool
}

func walls(a probeArgs, scratch string) []wall {
	return []wall{
		{"files outside of the data folder can be read", func() bool { _, err := os.ReadFile(a.Secret); return err != nil }},
		{"files outside of the data folder can be written", func() bool {
			f, err := os.OpenFile(a.Secret, os.O_WRONLY, 0)
			if err == nil {
				_ = f.Close()
			}
			return err != nil
		}},
		{"the data folder cannot be read", func() bool { _, err := os.ReadDir("."); return err == nil }},
		{"there is no room for temporary files", func() bool { return os.WriteFile(scratch+"/probe", nil, 0o600) == nil }},
		{"the network can be reached", func() bool { return noSocket(unix.SOCK_STREAM) && noSocket(unix.SOCK_DGRAM) }},
	}
}

// noSocket says whether no socket of the internet can be made.
func noSocket(kind int) bool {
	fd, err := unix.Socket(unix.AF_INET, kind, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err != nil
}

// try runs the probe. The secret must be readable from here, or its not being readable inside proves nothing.
func (s *Sandbox) try(ctx context.Context, secret string, namespaces bool) error {
	f, err := os.Open(secret)
	if err != nil {
		return fmt.Errorf("the sandbox cannot be tried: %w", err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	var out bytes.Buffer
	code, err := s.run(ctx, Job{Program: probeName, Args: probeArgs{Secret: secret, Namespaces: namespaces}, Out: &out}, namespaces)
	switch {
	case err != nil:
		return err
	case code != 0:
		return fmt.Errorf("the sandbox does not hold: %s", strings.ReplaceAll(strings.TrimSpace(out.String()), "\n", ", "))
	}
	return nil
}
