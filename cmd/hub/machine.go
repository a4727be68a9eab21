package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/hetzner"
	"gatehouse/app/provider/vpshost/local"
	"gatehouse/app/provider/vpshost/netcup"
	machines "gatehouse/app/provider/vpshost/pool"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/jobs"
)

// openMachines makes what takes orders for machines at their providers. What each provider can do is known without asking it.
func (p *parts) openMachines(queue *jobs.Queue) {
	p.acts = &db.MachineActs{DB: p.db, Jobs: queue}
	can := map[string]machine.Abilities{
		local.Name:    machine.AbilitiesOf((*local.Host)(nil)),
		machines.Name: machine.AbilitiesOf((*machines.Host)(nil)),
		hetzner.Name:  machine.AbilitiesOf((*hetzner.Host)(nil)),
		netcup.Name:   machine.AbilitiesOf((*netcup.Host)(nil)),
	}
	p.atProviders = &machine.Service{
		Store: p.acts, Servers: p.servers, Windows: p.support, Links: p.relay, Codes: p.codes, Now: time.Now, Can: can,
	}
	p.consents = &machine.Consents{Store: db.SnapshotConsents{MachineActs: p.acts}, Can: can, Now: time.Now}
}

// machineWorker does at the providers what was asked for.
func (h *hub) machineWorker(hosts map[string]vpshost.Host) *machine.Worker {
	places := map[string]machine.Place{}
	for name, host := range hosts {
		places[name] = host
	}
	return &machine.Worker{
		Store: h.acts, Days: db.SnapshotConsents{MachineActs: h.acts}, Servers: h.servers, Places: places,
		Notify: notices{relay: h.relay, log: h.log}, Log: h.log, Now: time.Now,
	}
}

// lateLetter gives the contents of a letter to one of our staff about a server without a new daily snapshot.
func (p post) lateLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	id, _, _ := strings.Cut(m.Ref, ".")
	srv, err := p.machines.Servers.Find(ctx, server.ID(id))
	if err != nil {
		return account.Letter{}, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	who, err := p.staff.Get(ctx, staff.ID(m.UserID))
	return account.Letter{
		Template: m.Template, To: who.Email, Name: who.Name, Locale: who.Locale, Ref: id,
		Act: account.Destroyed{Action: m.Template, Name: srv.Slug},
	}, err
}

// machineLetter gives the contents of a letter to an owner about what our staff do with the machine of the server.
func (p post) machineLetter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	if m.Template == machine.LetterLate {
		return p.lateLetter(ctx, m)
	}
	l, err := p.accounts.Letter(ctx, m)
	if err != nil {
		return l, fmt.Errorf("letter %s: %w", m.Template, err)
	}
	name, err := p.machines.NameOf(ctx, m.Ref)
	l.Act = account.Destroyed{Action: m.Template, Name: name}
	return l, err
}

// snapshotChores are what some hub has to look at every minute for the daily snapshots.
func snapshotChores(w *machine.Worker) []jobs.Chore {
	return []jobs.Chore{{Name: "daily snapshots", Do: w.Daily}, {Name: "mails to staff about snapshots", Do: w.TellLate}}
}
