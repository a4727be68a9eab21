package wipe

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"gatehouse/agentd/wire"
)

// Where the helper finds and leaves what it needs, below the root of the machine.
const (
	Asked    = "var/lib/agentd/wipe.command" // agentd's
	underWay = "etc/gatehouse/wipe.under-way"
	// Done holds the id of the server that the machine was, once nothing of it is left.
	Done = "etc/gatehouse/wiped"
)

// skew is how far the clocks of hub and server may be apart.
const skew = time.Minute

// letIn is the form of a key that may be let in: one plain Ed25519 key, without options.
var letIn = regexp.MustCompile(`^ssh-ed25519 [A-Za-z0-9+/]{68}$`)

// ErrRefused says that a command is not one to wipe this machine now.
var ErrRefused = errors.New("this is no command to wipe this machine now")

// Helper wipes the machine. It is root.
type Helper struct {
	Root     string // of the machine: "/"
	ServerID string
	Key      ed25519.PublicKey // the hub's, with which it signs commands
	Now      func() time.Time
	Log      *slog.Logger
	// Run runs a program of the machine and gives what it printed.
	Run func(ctx context.Context, program string, args ...string) (string, error)
}

// Do wipes the machine as the command says that waits, or goes on with a wipe that was cut off. It may be repeated: each step finds
// what the last try left.
func (h *Helper) Do(ctx context.Context) error {
	key, err := h.begun()
	if errors.Is(err, os.ErrNotExist) {
		key, err = h.begin()
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing waits, and nothing was begun
	}
	if err != nil {
		return err
	}
	h.Log.InfoContext(ctx, "the wipe of this machine begins", "server_id", h.ServerID)
	for _, step := range []func(context.Context) error{h.stop, h.containers, h.erase, h.tidy, h.prove} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := h.open(ctx, key); err != nil {
		return err
	}
	if err := errors.Join(keep(h.at(Done), []byte(h.ServerID+"\n")), os.Remove(h.at(underWay))); err != nil {
		return fmt.Errorf("end of the wipe: %w", err)
	}
	h.Log.InfoContext(ctx, "this machine is wiped, and lets the hub in", "server_id", h.ServerID)
	return nil
}

func (h *Helper) at(path string) string { return filepath.Join(h.Root, path) }

// begun is the key of a wipe that was begun; whose file is root's own, so that what stands in it was checked before.
func (h *Helper) begun() (string, error) {
	raw, err := os.ReadFile(h.at(underWay))
	if err == nil && !letIn.Match(raw) {
		err = fmt.Errorf("%w: what is under way holds no key", ErrRefused)
	}
	return string(raw), err
}

// begin checks the command that waits, and keeps that the wipe has begun before anything is gone.
func (h *Helper) begin() (string, error) {
	signed, err := take(h.at(Asked))
	if err != nil {
		return "", err
	}
	c, err := signed.Open(h.Key)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if why := h.unfit(c); why != "" {
		return "", fmt.Errorf("%w: %s", ErrRefused, why)
	}
	if err := os.MkdirAll(filepath.Dir(h.at(underWay)), 0o755); err != nil {
		return "", fmt.Errorf("begin the wipe: %w", err)
	}
	return c.LetIn, keep(h.at(underWay), []byte(c.LetIn))
}

// unfit says why a command that is signed does not wipe this machine now; empty when it does.
func (h *Helper) unfit(c wire.Command) string {
	now := h.Now()
	switch {
	case c.Verb != wire.VerbWipe:
		return "it is another command"
	case c.ServerID != h.ServerID:
		return "it is for another server"
	case c.Until.Sub(c.From) > wire.MaxCommandLife || now.After(c.Until.Add(skew)) || now.Before(c.From.Add(-skew)):
		return "it is not good now"
	case !letIn.MatchString(c.LetIn):
		return "its key is not one that may be let in"
	}
	return ""
}
