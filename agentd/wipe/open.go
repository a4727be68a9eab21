package wipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// rootLogin is the setting of the SSH server that says whether root may sign in; the set-up has written the file.
const rootLogin = "etc/ssh/sshd_config.d/00-gatehouse.conf"

var permit = regexp.MustCompile(`(?m)^PermitRootLogin .*$`)

// open lets the hub in by its key, and nobody else.
func (h *Helper) open(ctx context.Context, key string) error {
	if err := os.MkdirAll(h.at("root/.ssh"), 0o700); err != nil {
		return fmt.Errorf("let the hub in: %w", err)
	}
	keys, err := os.ReadFile(h.at("root/.ssh/authorized_keys"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("let the hub in: %w", err)
	}
	if !bytes.Contains(keys, []byte(key)) {
		if len(keys) > 0 && keys[len(keys)-1] != '\n' {
			keys = append(keys, '\n')
		}
		if err := keep(h.at("root/.ssh/authorized_keys"), append(keys, key+"\n"...)); err != nil {
			return err
		}
	}
	was, err := os.ReadFile(h.at(rootLogin))
	if err != nil {
		return fmt.Errorf("let the hub in: %w", err)
	}
	now := permit.ReplaceAll(was, []byte("PermitRootLogin prohibit-password"))
	if err := keep(h.at(rootLogin), now); err != nil {
		return err
	}
	if _, err := h.Run(ctx, "sshd", "-t"); err != nil {
		return errors.Join(fmt.Errorf("the SSH server refuses its settings: %w", err), keep(h.at(rootLogin), was))
	}
	if _, err := h.Run(ctx, "systemctl", "reload", "ssh.service"); err != nil {
		return fmt.Errorf("let the hub in: %w", err)
	}
	_, _ = h.Run(ctx, "fail2ban-client", "unban", "--all") // the hub may have knocked meanwhile
	return os.Chmod(filepath.Join(h.at("root/.ssh"), "authorized_keys"), 0o600)
}
