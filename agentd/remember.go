package agentd

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/ingress"
	"gatehouse/agentd/memory"
	"gatehouse/agentd/memory/desk"
	"gatehouse/agentd/memory/meaning"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
)

// openMemory opens what the team remembers. The files are read once agentd runs.
func (d *Daemon) openMemory(ctx context.Context) (err error) {
	d.memory, err = memory.Open(ctx, memory.Deps{
		Dir: filepath.Join(d.cfg.State, "memory"), Index: filepath.Join(d.cfg.State, "memory.db"), Now: d.now, Log: d.log, Odd: odd,
		Vouched: func(ctx context.Context, n memory.Note) (bool, error) { return desk.Vouched(ctx, d.db, n) },
		Flagged: func(ctx context.Context, run string) (bool, error) {
			return d.runtime.ReadFlagged(ctx, run, d.receipts.FlaggedRun)
		},
		Aside: desk.Aside{Store: d.db, Receipts: d.receipts, Now: d.now},
	})
	return err
}

const (
	checkEvery = 24 * time.Hour
	checkAgain = time.Hour // after one that failed
)

// checkMemory looks through memory once a day.
func (d *Daemon) checkMemory(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
			wait, err := d.checkDue(ctx)
			if err != nil && ctx.Err() == nil {
				d.log.WarnContext(ctx, "memory not looked through", "error", err)
				wait = checkAgain
			}
			due.Reset(wait)
		}
	}
}

// checkDue looks through memory when it is time, and says how long it is until the next time.
func (d *Daemon) checkDue(ctx context.Context) (time.Duration, error) {
	var last int64
	err := d.db.Read().QueryRowContext(ctx, "SELECT at FROM memory_checked").Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	if wait := time.Unix(last, 0).Add(checkEvery).Sub(d.now()); wait > 0 {
		return min(wait, checkEvery), nil
	}
	held, err := d.memory.Check(ctx)
	if err != nil {
		return 0, err
	}
	if held > 0 {
		d.log.InfoContext(ctx, "notes put aside for the owner", "notes", held)
	}
	return checkEvery, d.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := d.db.Exec(tx, "INSERT OR REPLACE INTO memory_checked (id, at) VALUES (1, ?)", d.now().Unix())
		return err
	})
}

// odd says why a text reads like an instruction to a machine.
func odd(text string) string {
	if ingress.Scan(text).Flagged {
		return "It reads like an instruction to the agents."
	}
	return ""
}

// openMeanings makes what asks a model what notes mean.
func (d *Daemon) openMeanings(context.Context) error {
	d.meanings = meaning.New(meaning.Deps{Store: d.db, Notes: d.memory, Model: d.embedder, Now: d.now, Log: d.log})
	d.memory.Means(d.meanings)
	d.live.Subscribe(func(config.State) { d.meanings.Wake() })
	return nil
}

// openDesk makes the owner's way to memory.
func (d *Daemon) openDesk(context.Context) error {
	d.desk = desk.New(desk.Deps{
		Store: d.db, Receipts: d.receipts, Signed: d.keys, Book: d.memory, Meaning: d.meanings.State, Now: d.now, Zone: d.zone,
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
