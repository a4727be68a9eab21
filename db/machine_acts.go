package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// MachineActs keeps what is done with machines at their providers, and how they were seen. It is machine.Store.
type MachineActs struct {
	DB   *DB
	Jobs Enqueuer
}

var _ machine.Store = (*MachineActs)(nil)

// machineActRow mirrors table machine_acts.
type machineActRow struct {
	bun.BaseModel `bun:"table:machine_acts,alias:ma"`
	ID            string    `bun:"id,pk"`
	ServerID      string    `bun:"server_id"`
	Verb          string    `bun:"verb"`
	LoginKey      string    `bun:"login_key"`
	Name          string    `bun:"name"`
	Snapshot      string    `bun:"snapshot"`
	ByName        string    `bun:"by_name"`
	State         string    `bun:"state"`
	Mark          *string   `bun:"mark"`
	Task          string    `bun:"task"`
	Said          string    `bun:"said"`
	At            time.Time `bun:"at"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
}

func (r machineActRow) act() machine.Act {
	a := machine.Act{
		ID: r.ID, ServerID: server.ID(r.ServerID), Verb: machine.Verb(r.Verb), Key: r.LoginKey, Name: r.Name, Snapshot: r.Snapshot,
		By: r.ByName, State: machine.ActState(r.State), Task: r.Task, Said: r.Said, At: r.At, EndedAt: r.EndedAt,
	}
	if r.Mark != nil {
		a.Mark, a.Marked = *r.Mark, true
	}
	return a
}

// Add keeps an act, records e, queues the work that does it and the letters to the owners: all or nothing.
func (s *MachineActs) Add(ctx context.Context, a machine.Act, e audit.Entry, letter string) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := &machineActRow{
			ID: a.ID, ServerID: string(a.ServerID), Verb: string(a.Verb), LoginKey: a.Key, Name: a.Name, Snapshot: a.Snapshot,
			ByName: a.By, State: string(a.State), At: a.At,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			if violated(err, "machine_acts_one") || violated(err, "machine_acts_take") {
				return machine.ErrBusy
			}
			return fmt.Errorf("store act: %w", toFault(err))
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		follow := []work.Item{work.RunMachineAct{ActID: a.ID}}
		if letter != "" {
			owners, err := ownersOf(ctx, tx, e.CustomerID)
			if err != nil {
				return err
			}
			for _, id := range owners {
				follow = append(follow, work.SendMail{Template: letter, UserID: id, Ref: a.ID})
			}
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, follow)
	})
}

// ownersOf lists the owners of a customer.
func ownersOf(ctx context.Context, tx Tx, customer string) (ids []string, err error) {
	err = tx.NewSelect().Model((*userRow)(nil)).Column("u.id").Where("u.customer_id = ?", customer).Where("u.role = ?", account.Owner).
		Where("u.removed_at IS NULL").Order("u.id").Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("list owners: %w", toFault(err))
	}
	return ids, nil
}

// Get finds an act.
func (s *MachineActs) Get(ctx context.Context, id string) (machine.Act, error) {
	var row machineActRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("ma.id = ?", id).Scan(ctx); err != nil {
		return machine.Act{}, fmt.Errorf("find act: %w", toFault(err))
	}
	return row.act(), nil
}

// Of lists the newest acts of a server, newest first.
func (s *MachineActs) Of(ctx context.Context, id server.ID, limit int) ([]machine.Act, error) {
	var rows []machineActRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("ma.server_id = ?", id).Order("ma.id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list acts: %w", toFault(err))
	}
	return each(rows, machineActRow.act), nil
}

// Marked keeps where the provider's record stood, unless that is kept already or the act has ended.
func (s *MachineActs) Marked(ctx context.Context, id, mark string) error {
	return s.update(ctx, &machineActRow{ID: id, Mark: &mark}, "mark IS NULL", "mark")
}

// Begun keeps what the provider calls what it began.
func (s *MachineActs) Begun(ctx context.Context, id, task string) error {
	return s.update(ctx, &machineActRow{ID: id, Task: task, State: string(machine.Underway)}, "task = ''", "task", "state")
}

// End keeps how an act ended, if it has not ended yet.
func (s *MachineActs) End(ctx context.Context, a machine.Act) error {
	row := &machineActRow{ID: a.ID, State: string(a.State), Said: a.Said, EndedAt: a.EndedAt}
	return s.update(ctx, row, "true", "state", "said", "ended_at")
}

func (s *MachineActs) update(ctx context.Context, row *machineActRow, where string, columns ...string) error {
	_, err := s.DB.bun(ctx).NewUpdate().Model(row).Column(columns...).WherePK().Where("ended_at IS NULL").Where(where).Exec(ctx)
	if err != nil {
		return fmt.Errorf("change act: %w", toFault(err))
	}
	return nil
}
