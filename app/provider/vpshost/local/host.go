package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gatehouse/app/provider/vpshost"
	"gatehouse/app/tune"
)

// MaxServers is how many servers one machine carries.
const MaxServers = 5

// Options say where servers stand and what their agentd is told.
type Options struct {
	Dir      string // holds a folder for each server
	Bin      string // the agentd binary
	Hub      string // base URL of the hub
	SMTPAddr string // where agentd sends mail
	MailFrom string
	Model    Model
	Demo     bool        // put believable files into a new data root
	Print    func(Codes) // shows the codes of a new server on the machine's terminal; nil: nobody looks at one
	Log      *slog.Logger

	Most tune.Value[int] // servers that one machine carries, where our staff have set fewer than MaxServers
}

// Model is the provider of the agents' model; all empty for the built-in rehearsal.
type Model struct {
	BaseURL string
	Name    string
	Vectors string // a model there that turns texts into vectors; empty: none
	Key     string // reaches the model proxy as a file that only it can read; agentd never has it
}

// Host is the place. It is vpshost.Host.
type Host struct {
	opt     Options
	account func(slot int) *account // nil: agentd runs as the hub does
	ctx     context.Context         // ends when the hub lets go of its servers
	stop    context.CancelFunc
	watches sync.WaitGroup

	mu       sync.Mutex
	watched  map[string]bool        // by name of the process
	children map[process]<-chan int // exit codes of those that this hub started itself
}

var _ vpshost.Host = (*Host)(nil)

// New makes a Host. When the hub is root and Dir lies where no other user can reach it, the servers stand below
// /var/lib/gatehouse and Dir becomes a link to that; the log says so.
func New(o Options) (*Host, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("local servers: %w", err)
	}
	o.Dir = dir
	h := &Host{opt: o, watched: map[string]bool{}, children: map[process]<-chan int{}}
	if os.Geteuid() == 0 {
		if err := h.settle(); err != nil {
			return nil, fmt.Errorf("local servers: %w", err)
		}
		h.account = func(slot int) *account { return accountOf(h.opt.Dir, slot) }
	}
	if err := os.MkdirAll(h.opt.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("local servers: %w", err)
	}
	h.ctx, h.stop = context.WithCancel(context.Background())
	return h, nil
}

// Name is the provider's name in rows.
const Name = "local"

// Name is "local".
func (h *Host) Name() string { return Name }

// Allocate makes the folders of a server, or refuses when this machine carries as many as it can.
func (h *Host) Allocate(_ context.Context, s vpshost.Spec) error {
	unlock, err := lock(filepath.Join(h.opt.Dir, "lock"))
	if err != nil {
		return fmt.Errorf("allocate %s: %w", s.ServerID, err)
	}
	defer unlock()
	there, err := h.records()
	if err != nil {
		return fmt.Errorf("allocate %s: %w", s.ServerID, err)
	}
	used := map[int]bool{}
	for _, r := range there {
		if r.ServerID == s.ServerID {
			return nil
		}
		used[r.Slot] = true
	}
	slot := 0
	for used[slot] {
		slot++
	}
	if most := min(MaxServers, h.opt.Most.Or(MaxServers)); slot >= MaxServers || len(used) >= most {
		return &vpshost.RefusedError{Reason: fmt.Sprintf(
			"This machine runs %d servers already, which is as many as the local provider allows.", len(used))}
	}
	return h.makeFolders(record{ServerID: s.ServerID, Slug: s.Slug, Slot: slot})
}

// Install leaves the token and the owner's first key, starts agentd and its model proxy unless they run, and keeps them running
// from then on.
func (h *Host) Install(ctx context.Context, s vpshost.Setup) error {
	r, err := h.record(s.ServerID)
	if err != nil {
		return fmt.Errorf("install %s: %w", s.ServerID, err)
	}
	if s.Seed != "" {
		if r, err = h.seed(s.ServerID, s.Seed); err != nil {
			return err
		}
	}
	if s.Token != "" {
		if err := h.writeSecret(r, tokenFile, s.Token); err != nil {
			return fmt.Errorf("install %s: %w", s.ServerID, err)
		}
	}
	if err := h.printCodes(ctx, r); err != nil {
		return fmt.Errorf("install %s: %w", s.ServerID, err)
	}
	if _, err := h.ensure(s.ServerID); err != nil {
		return fmt.Errorf("install %s: %w", s.ServerID, err)
	}
	h.watch(s.ServerID)
	return nil
}

// Finish has nothing to take away: the hub looks after the processes of this machine.
func (h *Host) Finish(context.Context, vpshost.Setup) error { return nil }

// Release removes the folders of a server that was never started.
func (h *Host) Release(_ context.Context, serverID string) error {
	r, err := h.record(serverID)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("release %s: %w", serverID, err)
	}
	if !r.StartedAt.IsZero() {
		return fmt.Errorf("release %s: it was started, so it may hold data", serverID)
	}
	return os.RemoveAll(h.folder(serverID))
}

// Adopt takes charge of the servers that are there: those that run go on, those that do not are started again.
func (h *Host) Adopt(_ context.Context) error {
	there, err := h.records()
	if err != nil {
		return fmt.Errorf("adopt local servers: %w", err)
	}
	var errs []error
	for _, r := range there {
		if r.StartedAt.IsZero() || r.Retired || r.Off {
			continue // its order has not come that far, or is over, or it was switched off
		}
		started, err := h.ensure(r.ServerID)
		if err != nil {
			errs = append(errs, fmt.Errorf("adopt %s: %w", r.ServerID, err))
		}
		h.opt.Log.Info("local server adopted", "server_id", r.ServerID, "started_anew", started)
		h.watch(r.ServerID)
	}
	return errors.Join(errs...)
}

// Close lets go of the servers: they run on, for the next hub to adopt.
func (h *Host) Close() {
	h.stop()
	h.watches.Wait()
}

// Stop lets go of the servers and ends them. The next Adopt starts them again.
func (h *Host) Stop(ctx context.Context) error {
	h.Close()
	there, err := h.records()
	if err != nil {
		return fmt.Errorf("stop local servers: %w", err)
	}
	errs := make([]error, len(there))
	var all sync.WaitGroup
	for i, r := range there {
		all.Go(func() { errs[i] = h.end(ctx, r) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// stopWithin is how long agentd has to end by itself.
const stopWithin = 10 * time.Second
