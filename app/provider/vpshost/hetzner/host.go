package hetzner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
)

// Name is the provider's name in rows.
const Name = "hetzner"

// Machine is a machine that is rented for a server.
type Machine struct {
	ServerID string
	RentedID int64  // the provider's own number of it
	Address  string // IPv4
	Port     int    // where its SSH server listens now
	HostKey  string // as in authorized_keys
}

// ErrNone says that no machine is on record for a server.
var ErrNone = errors.New("no machine is rented for this server")

// Store keeps which machine is whose; db.Rented does.
type Store interface {
	// Rented finds the machine of a server, or answers ErrNone.
	Rented(ctx context.Context, serverID string) (Machine, error)
	// Keep notes a server's machine, instead of what was noted before.
	Keep(ctx context.Context, m Machine) error
	// Forget removes the note; one that is not there is fine.
	Forget(ctx context.Context, serverID string) error
}

// Options is what a Host needs.
type Options struct {
	Token    string // of one project; read and write
	Endpoint string // base URL of the API; empty: the provider's own
	Wanted   Wanted
	Store    Store
	Site     *setup.Site
	KeySeed  []byte        // the host keys of machines are derived from it; 32 bytes, secret, the same for all hubs
	Boot     time.Duration // how long a new machine may take until it lets the hub in

	Rules Rules // what our staff may change
}

// Host is the place. It is vpshost.Host.
type Host struct {
	Options

	mu   sync.Mutex
	with string // the token of both
	api  *hcloud.Client
	asks *hcloud.Client // once
}

var (
	_ vpshost.Host      = (*Host)(nil)
	_ vpshost.Addressed = (*Host)(nil)
)

// answerWithin is how long one request may take.
const answerWithin = 30 * time.Second

// New makes a Host. It asks nothing yet.
func New(o Options) *Host { return &Host{Options: o} }

// client speaks to the API with the token that is in force.
func (h *Host) client() *hcloud.Client {
	api, _ := h.clients()
	return api
}

// careful speaks to it as well, and asks once: for what a second request would do again.
func (h *Host) careful() *hcloud.Client {
	_, careful := h.clients()
	return careful
}

func (h *Host) clients() (api, careful *hcloud.Client) {
	token := h.Rules.Token.Or(h.Token)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.api == nil || h.with != token {
		h.with = token
		h.api, h.asks = newClients(token, h.Endpoint)
	}
	return h.api, h.asks
}

func newClients(token, endpoint string) (api, careful *hcloud.Client) {
	options := []hcloud.ClientOption{
		hcloud.WithToken(token), hcloud.WithApplication("gatehouse", ""), hcloud.WithHTTPClient(&http.Client{Timeout: answerWithin}),
		hcloud.WithRetryOpts(hcloud.RetryOpts{BackoffFunc: hcloud.ExponentialBackoffWithOpts(hcloud.ExponentialBackoffOpts{
			Base: time.Second, Multiplier: 2, Cap: 30 * time.Second, Jitter: true,
		}), MaxRetries: 3}),
	}
	if endpoint != "" {
		options = append(options, hcloud.WithEndpoint(endpoint))
	}
	once := append(options[:len(options):len(options)], hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}))
	return hcloud.NewClient(options...), hcloud.NewClient(once...)
}

// Count asks how many machines there are in the project.
func (h *Host) Count(ctx context.Context) (int, error) {
	if h.Rules.Token.Or(h.Token) == "" {
		return 0, &vpshost.RefusedError{Reason: "No token of Hetzner is set. Set one on the page of settings."}
	}
	all, err := h.client().Server.All(ctx)
	return len(all), inWords(err)
}

// Name is "hetzner".
func (h *Host) Name() string { return Name }

// Install waits until the machine lets the hub in, and takes it through all steps but the last.
func (h *Host) Install(ctx context.Context, s vpshost.Setup) error {
	m, err := h.Store.Rented(ctx, s.ServerID)
	if err != nil {
		return err
	}
	if err := h.Site.Booted(ctx, at(m), m.ServerID, h.Rules.Boot.Or(h.Boot), false, s.Say); err != nil {
		return err
	}
	met, err := h.Site.Install(ctx, at(m), s)
	return errors.Join(err, h.note(context.WithoutCancel(ctx), m, met))
}

// Finish takes the hub's way in away.
func (h *Host) Finish(ctx context.Context, s vpshost.Setup) error {
	m, err := h.Store.Rented(ctx, s.ServerID)
	if err != nil {
		return err
	}
	met, err := h.Site.Finish(ctx, at(m), s)
	return errors.Join(err, h.note(context.WithoutCancel(ctx), m, met))
}

// note keeps how the machine is met from now on, also when the set-up failed later.
func (h *Host) note(ctx context.Context, was Machine, met target.Machine) error {
	if len(met.Ports) != 1 || met.Ports[0] == was.Port {
		return nil
	}
	was.Port = met.Ports[0]
	if err := h.Store.Keep(ctx, was); err != nil {
		return fmt.Errorf("note how a machine is met: %w", err)
	}
	return nil
}

// LastLog asks the machine for agentd's last lines.
func (h *Host) LastLog(ctx context.Context, serverID string, n int) ([]string, error) {
	m, err := h.Store.Rented(ctx, serverID)
	if err != nil {
		return nil, err
	}
	return h.Site.Runner.LastLog(ctx, at(m), n)
}

// at is where a machine is met.
func at(m Machine) target.Machine {
	return target.Machine{Address: m.Address, Ports: []int{m.Port}, Login: "root", HostKey: m.HostKey}
}

// Addresses is where the server's machine is reached.
func (h *Host) Addresses(ctx context.Context, serverID string) ([]netip.Addr, error) {
	m, err := h.Store.Rented(ctx, serverID)
	if err != nil {
		return nil, err
	}
	a, err := netip.ParseAddr(m.Address)
	if err != nil {
		return nil, fmt.Errorf("address of a rented machine: %w", err)
	}
	return []netip.Addr{a}, nil
}
