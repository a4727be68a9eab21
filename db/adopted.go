package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/providers"
)

// Adopted keeps the machines at netcup that our staff adopted. It is providers.MachineStore.
type Adopted struct{ DB *DB }

var _ providers.MachineStore = (*Adopted)(nil)

// adoptedRow mirrors table adopted_machines.
type adoptedRow struct {
	bun.BaseModel `bun:"table:adopted_machines,alias:m"`
	ID            int64     `bun:"id,pk"`
	Name          string    `bun:"name"`
	Product       string    `bun:"product"`
	Region        string    `bun:"region"`
	Plan          string    `bun:"plan"`
	Address       string    `bun:"address"`
	Port          int       `bun:"port"`
	HostKey       string    `bun:"host_key"`
	State         string    `bun:"state"`
	ServerID      string    `bun:"server_id,nullzero"`
	Marked        bool      `bun:"marked"`
	Mark          string    `bun:"mark"`
	Task          string    `bun:"task"`
	Problem       string    `bun:"problem"`
	AdoptedAt     time.Time `bun:"adopted_at"`
	Since         time.Time `bun:"since"`
}

func adoptedRowOf(m providers.Machine) adoptedRow {
	return adoptedRow{
		ID: m.ID, Name: m.Name, Product: m.Product, Region: m.Region, Plan: m.Plan, Address: m.Address, Port: m.Port, HostKey: m.HostKey,
		State: string(m.State), ServerID: m.ServerID, Marked: m.Marked, Mark: m.Mark, Task: m.Task, Problem: m.Problem,
		AdoptedAt: m.AdoptedAt, Since: m.Since,
	}
}

func (r adoptedRow) machine() providers.Machine {
	return providers.Machine{
		ID: r.ID, Name: r.Name, Product: r.Product, Region: r.Region, Plan: r.Plan, Address: r.Address, Port: r.Port, HostKey: r.HostKey,
		State: providers.State(r.State), ServerID: r.ServerID, Marked: r.Marked, Mark: r.Mark, Task: r.Task, Problem: r.Problem,
		AdoptedAt: r.AdoptedAt, Since: r.Since,
	}
}

// adoptedFault names a missing row and one that is there.
func adoptedFault(err error) error {
	if violated(err, "adopted_machines_pkey") {
		return providers.ErrAdopted
	}
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return providers.ErrNoMachine
	}
	return err
}

// Adopt adds a machine.
func (s *Adopted) Adopt(ctx context.Context, m providers.Machine, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := adoptedRowOf(m)
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return fmt.Errorf("adopt machine: %w", adoptedFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}

// List gives all machines, by name.
func (s *Adopted) List(ctx context.Context) ([]providers.Machine, error) {
	var rows []adoptedRow
	if err := s.DB.NewSelect().Model(&rows).Order("m.name", "m.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list adopted machines: %w", toFault(err))
	}
	return each(rows, adoptedRow.machine), nil
}

// OfServer finds the machine of a server.
func (s *Adopted) OfServer(ctx context.Context, serverID string) (providers.Machine, error) {
	return oneAdopted(ctx, s.DB.NewSelect().Where("m.server_id = ?", serverID))
}

func oneAdopted(ctx context.Context, q *bun.SelectQuery) (providers.Machine, error) {
	var row adoptedRow
	if err := q.Model(&row).Scan(ctx); err != nil {
		return providers.Machine{}, fmt.Errorf("find adopted machine: %w", adoptedFault(err))
	}
	return row.machine(), nil
}

// Change locks a machine, runs fn on it and saves it with the record that fn gave.
func (s *Adopted) Change(
	ctx context.Context, id int64, fn func(ctx context.Context, m *providers.Machine) (*audit.Entry, error),
) (m providers.Machine, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) (err error) {
		if m, err = oneAdopted(ctx, tx.NewSelect().Where("m.id = ?", id).For("UPDATE")); err != nil {
			return err
		}
		e, err := fn(ctx, &m)
		if err != nil {
			return err
		}
		row := adoptedRowOf(m)
		if _, err := tx.NewUpdate().Model(&row).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("change adopted machine: %w", toFault(err))
		}
		if e == nil {
			return nil
		}
		return writeAudit(ctx, tx, *e)
	})
	return m, err
}

// Take gives a free machine to the server. Two orders at once never get the same one: each skips what another has locked.
func (s *Adopted) Take(ctx context.Context, serverID, region, plan string, now time.Time) (providers.Machine, error) {
	m, err := s.OfServer(ctx, serverID)
	if !errors.Is(err, providers.ErrNoMachine) {
		return m, err
	}
	var row adoptedRow
	free := s.DB.NewSelect().Model((*adoptedRow)(nil)).Column("m.id").Where("m.state = 'free'").Where("m.region = ?", region).
		Where("m.plan IN ('', ?)", plan).OrderExpr("m.plan = ''").Order("m.since", "m.id").Limit(1).For("UPDATE SKIP LOCKED")
	err = s.DB.NewUpdate().Model(&row).Set("state = 'taken'").Set("server_id = ?", serverID).Set("since = ?", now).
		Set("problem = ''").Where("m.id = (?)", free).Returning("*").Scan(ctx)
	if err != nil {
		return providers.Machine{}, fmt.Errorf("take adopted machine: %w", adoptedFault(err))
	}
	return row.machine(), nil
}

// Forget takes a machine off the list, unless it is a customer's.
func (s *Adopted) Forget(ctx context.Context, id int64, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		m, err := oneAdopted(ctx, tx.NewSelect().Where("m.id = ?", id).For("UPDATE"))
		if err != nil {
			return err
		}
		if m.State == providers.Taken {
			return providers.ErrTaken
		}
		if _, err := tx.NewDelete().Model((*adoptedRow)(nil)).Where("m.id = ?", id).Exec(ctx); err != nil {
			return fmt.Errorf("forget adopted machine: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}
