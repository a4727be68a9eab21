package dev

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"gatehouse/cmd/hub/devmail"
)

// catchMail starts the mail catcher on the port it had before, if that is free: local servers that were adopted know
// that one.
func (c Config) catchMail(ctx context.Context) (*devmail.Store, string, error) {
	store, err := devmail.OpenStore(filepath.Join(c.Dir, "mail"), c.Now)
	if err != nil {
		return nil, "", err
	}
	note := filepath.Join(c.Dir, "smtp.addr")
	l, err := listenAgain(note)
	if err != nil {
		return nil, "", fmt.Errorf("mail catcher: %w", err)
	}
	addr := l.Addr().String()
	if err := os.WriteFile(note, []byte(addr+"\n"), 0o600); err != nil {
		return nil, "", fmt.Errorf("mail catcher: %w", err)
	}
	go func() {
		if err := devmail.Catch(ctx, l, store, c.Log); err != nil {
			c.Log.ErrorContext(ctx, "mail catcher ended", "error", err)
		}
	}()
	return store, addr, nil
}

func listenAgain(note string) (net.Listener, error) {
	if b, err := os.ReadFile(note); err == nil {
		if l, err := net.Listen("tcp", strings.TrimSpace(string(b))); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}
