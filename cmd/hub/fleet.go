package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"gatehouse/app/pool"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/local"
	machines "gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/db"
)

// sshKey is the name of the key with which the hub comes to machines.
const sshKey = "ssh"

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
	p.setups = &db.Setups{DB: p.db, Now: time.Now}
	p.machines = &db.Pool{DB: p.db}
	p.setup = &setup.Runner{Key: signer, Agentd: cfg.AgentdBin, Record: p.setups}
	p.pool = &pool.Service{Store: p.machines, Looker: setup.Looker{Runner: p.setup}, Now: time.Now}
	return nil
}

func newSSHKey() ([]byte, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("new SSH key: %w", err)
	}
	return private.Seed(), nil
}

// hosts are the places where servers can be set up.
func (h *hub) hosts() map[string]vpshost.Host {
	return map[string]vpshost.Host{
		local.Name: h.host,
		machines.Name: &machines.Host{
			Machines: h.machines, Runner: h.setup, Setups: h.setups,
			Plan: setup.Plan{
				Hub: h.cfg.AgentHub, SMTPAddr: h.cfg.AgentSMTP, MailFrom: h.cfg.MailFrom,
				ModelURL: h.cfg.ModelBaseURL, ModelName: h.cfg.ModelName, ModelKey: h.cfg.ModelAPIKey,
			},
		},
	}
}
