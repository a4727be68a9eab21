package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/pool"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/provider/vpshost/netcup"
	machines "gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/providers"
	"gatehouse/app/setting"
	"gatehouse/db"
	"gatehouse/jobs"
)

// What the hub keeps sealed for its machines: the key with which it comes in, and what the host keys of rented ones are derived from.
const (
	sshKey   = "ssh"
	hostKeys = "host keys"
)

// openFleet puts the pool and the set-up of machines together. All processes of the hub come with one key.
func (p *parts) openFleet(ctx context.Context, cfg config, keys *db.Keyring) error {
	seed, err := (&db.HubSecrets{DB: p.db, Keys: keys}).Get(ctx, sshKey, newSSHKey)
	if err != nil {
		return err
	}
	if len(seed) != ed25519.SeedSize {
		return fmt.Errorf("the hub's SSH key has %d bytes", len(seed))
	}
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed))
	if err != nil {
		return fmt.Errorf("the hub's SSH key: %w", err)
	}
	if p.hostKeys, err = (&db.HubSecrets{DB: p.db, Keys: keys}).Get(ctx, hostKeys, newHostKeySeed); err != nil {
		return err
	}
	p.setups = &db.Setups{DB: p.db, Now: time.Now}
	p.machines = &db.Pool{DB: p.db}
	p.adopted = &db.Adopted{DB: p.db}
	p.netcup = &netcup.Account{URL: cfg.NetcupURL, Links: &db.NetcupLink{DB: p.db, Keys: keys}, Now: time.Now}
	p.providers = &providers.Service{
		Account: p.netcup, Links: p.netcup.Links, Machines: p.adopted, Checks: &db.ProviderChecks{DB: p.db}, Now: time.Now,
		Askers: map[string]providers.Asker{netcup.Name: p.askNetcup, hetzner.Name: p.askHetzner(cfg.HetznerURL)},
		Key:    func() bool { return p.settings.Text(setting.HetznerToken)() != "" },
		Codes:  p.codes,
	}
	p.setup = &setup.Runner{Key: signer, Agentd: cfg.AgentdBin, Record: p.setups}
	p.pool = &pool.Service{Store: p.machines, Looker: setup.Looker{Runner: p.setup}, Codes: p.codes, Now: time.Now}
	return nil
}

func newSSHKey() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("new SSH key: %w", err)
	}
	return private.Seed(), nil
}

func newHostKeySeed() ([]byte, error) {
	seed := make([]byte, 32)
	_, _ = rand.Read(seed) // never fails
	return seed, nil
}

// plan is what every machine gets.
func (c *config) plan() setup.Plan {
	return setup.Plan{
		Hub: c.AgentHub, SMTPAddr: c.AgentSMTP, MailFrom: c.MailFrom,
		ModelURL: c.ModelBaseURL, ModelName: c.ModelName, ModelVectors: c.Embeddings, ModelKey: c.ModelAPIKey,
	}
}

// hosts are the places where servers can be set up.
func (h *hub) hosts() map[string]vpshost.Host {
	site := &setup.Site{Runner: h.setup, Setups: h.setups, Plan: h.cfg.plan()}
	site.Keys = h.modelKeys
	site.Plan.Commands = base64.RawURLEncoding.EncodeToString(h.servers.Command)
	all := map[string]vpshost.Host{local.Name: h.host, machines.Name: &machines.Host{
		Machines: h.machines, Site: site, Commands: h.commands, Links: h.relay, Looker: h.setup, Now: time.Now,
	}}
	all[hetzner.Name] = hetzner.New(hetzner.Options{
		Endpoint: h.cfg.HetznerURL, Store: &db.Rented{DB: h.db}, Site: site, KeySeed: h.hostKeys, Boot: bootWithin, Rules: h.rented(),
	})
	all[netcup.Name] = netcup.New(netcup.Options{
		Account: h.netcup, Machines: h.adopted, Site: site, KeySeed: h.hostKeys, Boot: bootWithin,
		Rules: netcup.Rules{Boot: h.settings.Span(setting.BootWait)},
	})
	return all
}

// netcupChores are what some hub has to look at every minute for the account at netcup.
func (h *hub) netcupChores(hosts map[string]vpshost.Host) []jobs.Chore {
	return []jobs.Chore{
		{Name: "machines at netcup that are wiped", Do: hosts[netcup.Name].(*netcup.Host).Wipe},
		{Name: "connection to netcup", Do: h.netcup.Renew},
		{Name: "connection to netcup that waits for a yes", Do: h.providers.Follow},
	}
}

// askNetcup asks netcup whether it answers.
func (p *parts) askNetcup(ctx context.Context) (int, error) {
	all, err := p.netcup.Servers(ctx)
	return len(all), err
}

// askHetzner asks Hetzner whether it answers.
func (p *parts) askHetzner(endpoint string) providers.Asker {
	return func(ctx context.Context) (int, error) {
		return hetzner.New(hetzner.Options{Endpoint: endpoint, Rules: p.rented()}).Count(ctx)
	}
}

// bootWithin is how long a rented machine may take until it lets the hub in.
const bootWithin = 5 * time.Minute
