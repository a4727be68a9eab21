package dev

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gatehouse/db/devpg"
)

// placeAgentd is a path of agentd that the unprivileged user can run: the one that was built, or a copy in the data
// folder when that one is out of reach.
func (c Config) placeAgentd() (string, error) {
	account, err := devpg.Unprivileged()
	if err != nil {
		return "", err
	}
	if !account.Switch || account.Reaches(filepath.Dir(c.AgentdBin)) {
		return c.AgentdBin, nil
	}
	to := filepath.Join(c.Dir, "bin", "agentd")
	if err := copyProgram(c.AgentdBin, to); err != nil {
		return "", fmt.Errorf("place agentd: %w", err)
	}
	return to, nil
}

// copyProgram replaces to at once: a running copy keeps its old file.
func copyProgram(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}
