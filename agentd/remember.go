package agentd

import (
	"context"
	"path/filepath"
	"time"

	"gatehouse/agentd/ingress"
	"gatehouse/agentd/memory"
	"gatehouse/agentd/memory/desk"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// openMemory opens what the team remembers. The files are read once agentd runs.
func (d *Daemon) openMemory(ctx context.Context) (err error) {
	d.memory, err = memory.Open(ctx, memory.Deps{
		Dir: filepath.Join(d.cfg.State, "memory"), Index: filepath.Join(d.cfg.State, "memory.db"), Now: d.now, Log: d.log, Odd: odd,
		Vouched: func(ctx context.Context, n memory.Note) (bool, error) { return desk.Vouched(ctx, d.db, n) },
	})
	return err
}

// odd says why a text reads like an instruction to a machine.
func odd(text string) string {
	if ingress.Scan(text).Flagged {
		return "It reads like an instruction to the agents."
	}
	return ""
}

// openDesk makes the owner's way to memory.
func (d *Daemon) openDesk(context.Context) error {
	d.desk = desk.New(desk.Deps{
		Store: d.db, Receipts: d.receipts, Signed: d.keys, Book: d.memory, Now: d.now, Zone: d.zone,
		Agents: func() (ids []string) {
			for _, a := range d.team.Agents() {
				ids = append(ids, a.ID)
			}
			return ids
		},
	})
	return nil
}

// zone is that of the business; one that this program does not know is UTC.
func (d *Daemon) zone() *time.Location {
	if zone, err := time.LoadLocation(d.config().TimeZone); err == nil {
		return zone
	}
	return time.UTC
}

// maxUse is how much of a note goes with an answer, in bytes.
const maxUse = 300

// remind is what an agent is reminded of. Somebody may have written into the files what no model and no page should get.
func (d *Daemon) remind(ctx context.Context, agent, text string) (prompt string, fits []wire.MemoryUse, err error) {
	r, err := d.memory.Remind(ctx, agent, text, d.zone())
	if err != nil {
		return "", nil, err
	}
	for _, n := range r.Fits {
		fits = append(fits, wire.MemoryUse{
			ID: n.ID, Agent: n.Of, Text: redact.Clip(redact.Text(n.Text), maxUse), Origin: n.From,
		})
	}
	return redact.Text(r.Text), fits, nil
}
