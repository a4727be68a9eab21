package wipe

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
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
	// Kill ends a process at once.
	Kill func(pid int) error

	uid int // the owner's; 0 when the machine had none as the wipe began
}

// course is a wipe that is under way, as its file keeps it.
type course struct {
	ServerID string `json:"server_id"`
	LetIn    string `json:"let_in"`
	UID      int    `json:"uid"` // the owner's, which nobody can look up once the user is gone
}

// Do wipes the machine as the command says that waits, or goes on with a wipe that was cut off. It may be repeated: each step finds
// what the last try left.
func (h *Helper) Do(ctx context.Context) error {
	c, err := h.begun()
	if errors.Is(err, os.ErrNotExist) {
		c, err = h.begin()
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing waits, and nothing was begun
	}
	if err != nil {
		return err
	}
	h.Log.InfoContext(ctx, "the wipe of this machine begins", "server_id", h.ServerID)
	h.uid = c.UID
	for _, step := range []func(context.Context) error{h.shut, h.stop, h.containers, h.leave, h.erase, h.tidy, h.prove} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := h.open(ctx, c.LetIn); err != nil {
		return err
	}
	if err := errors.Join(keep(h.at(Done), []byte(h.ServerID+"\n")), os.Remove(h.at(underWay))); err != nil {
		return fmt.Errorf("end of the wipe: %w", err)
	}
	h.Log.InfoContext(ctx, "this machine is wiped, and lets the hub in", "server_id", h.ServerID)
	return nil
}

func (h *Helper) at(path string) string { return filepath.Join(h.Root, path) }

// begun is the wipe that was begun; whose file is root's own, so that what stands in it was checked before.
func (h *Helper) begun() (c course, err error) {
	raw, err := os.ReadFile(h.at(underWay))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("%w: what is under way cannot be read: %w", ErrRefused, err)
	}
	if c.ServerID != h.ServerID {
		return c, fmt.Errorf("%w: what is under way is the wipe of another server", ErrRefused)
	}
	if !letIn.MatchString(c.LetIn) {
		return c, fmt.Errorf("%w: what is under way holds no key", ErrRefused)
	}
	return c, nil
}

// begin checks the command that waits, and keeps that the wipe has begun before anything is gone.
func (h *Helper) begin() (course, error) {
	signed, err := take(h.at(Asked))
	if err != nil {
		return course{}, err
	}
	cmd, err := signed.Open(h.Key)
	if err != nil {
		return course{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if why := h.unfit(cmd); why != "" {
		return course{}, fmt.Errorf("%w: %s", ErrRefused, why)
	}
	uid, err := h.ownerUID()
	if err != nil {
		return course{}, err
	}
	c := course{ServerID: h.ServerID, LetIn: cmd.LetIn, UID: uid}
	raw, err := json.Marshal(c)
	if err != nil {
		return course{}, fmt.Errorf("begin the wipe: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(h.at(underWay)), 0o755); err != nil {
		return course{}, fmt.Errorf("begin the wipe: %w", err)
	}
	return c, keep(h.at(underWay), raw)
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
