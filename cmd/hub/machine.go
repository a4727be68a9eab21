package main

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/local"
	machines "gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/jobs"
)

// openMachines makes what takes orders for machines at their providers. What each provider can do is known without asking it.
func (p *parts) openMachines(queue *jobs.Queue) {
	p.acts = &db.MachineActs{DB: p.db, Jobs: queue}
	p.atProviders = &machine.Service{
		Store: p.acts, Servers: p.servers, Codes: p.codes, Now: time.Now,
		Can: map[string]machine.Abilities{
			local.Name:    machine.AbilitiesOf((*local.Host)(nil)),
			machines.Name: machine.AbilitiesOf((*machines.Host)(nil)),
			hetzner.Name:  machine.AbilitiesOf((*hetzner.Host)(nil)),
		},
	}
}

// machineWorker does at the providers what was asked for.
func (h *hub) machineWorker(hosts map[string]vpshost.Host) *machine.Worker {
	places := map[string]machine.Place{}
	for name, host := range hosts {
		places[name] = host
	}
	return &machine.Worker{
		Store: h.acts, Servers: h.servers, Places: places, Notify: notices{relay: h.relay, log: h.log}, Log: h.log, Now: time.Now,
	}
}

// machineLetter gives the contents of a letter to an owner about what our staff do with the machine of the server.
func (p post) machineLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	l, err := p.accounts.Letter(ctx, m)
	if err != nil {
		return l, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	name, err := p.machines.NameOf(ctx, m.Ref)
	l.Act = account.Destroyed{Action: m.Template, Name: name}
	return l, err
}
