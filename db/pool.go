package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/pool"
)

// Pool keeps the machines of our own. It is pool.Store.
type Pool struct{ DB *DB }

var _ pool.Store = (*Pool)(nil)

// machineRow mirrors table pool_machines.
type machineRow struct {
	bun.BaseModel `bun:"table:pool_machines,alias:m"`
	ID            string    `bun:"id,pk"`
	Name          string    `bun:"name"`
	Address       string    `bun:"address"`
	Port          int       `bun:"port"`
	Login         string    `bun:"login"`
	Region        string    `bun:"region"`
	HostKey       string    `bun:"host_key"`
	State         string    `bun:"state"`
	ServerID      string    `bun:"server_id,nullzero"`
	System        string    `bun:"system"`
	Problem       string    `bun:"problem"`
	CheckedAt     time.Time `bun:"checked_at,nullzero"`
	CreatedAt     time.Time `bun:"created_at"`
	EndedAt       time.Time `bun:"ended_at,scanonly"`
	WipeBy        string    `bun:"wipe_by"`
	WipeAskedAt   time.Time `bun:"wipe_asked_at,nullzero"`
	WipeBegunAt   time.Time `bun:"wipe_begun_at,nullzero"`
	WipedAt       time.Time `bun:"wiped_at,nullzero"`
}

// endedOrder is when the order of a machine's server ended, until its server is gone: also while it is given back.
const endedOrder = `(SELECT o.ended_at FROM orders AS o JOIN servers AS s ON s.order_id = o.id
	WHERE s.id = m.server_id AND o.state IN ('ENDED', 'RELEASING')) AS ended_at`

// machines selects machines with what is known of the order of their server.
func machines(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("m.*").ColumnExpr(endedOrder)
}

func machineRowOf(m pool.Machine) machineRow {
	return machineRow{
		ID: string(m.ID), Name: m.Name, Address: m.Address, Port: m.Port, Login: m.Login, Region: m.Region, HostKey: m.HostKey,
		State: string(m.State), ServerID: m.ServerID, System: m.System, Problem: m.Problem, CheckedAt: m.CheckedAt, CreatedAt: m.CreatedAt,
		WipeBy: m.WipeBy, WipeAskedAt: m.WipeAskedAt, WipeBegunAt: m.WipeBegunAt, WipedAt: m.WipedAt,
	}
}

func (r machineRow) machine() pool.Machine {
	return pool.Machine{
		ID: pool.ID(r.ID), Name: r.Name, Address: r.Address, Port: r.Port, Login: r.Login, Region: r.Region, HostKey: r.HostKey,
		State: pool.State(r.State), ServerID: r.ServerID, System: r.System, Problem: r.Problem, CheckedAt: r.CheckedAt,
		CreatedAt: r.CreatedAt, EndedAt: r.EndedAt, WipeBy: r.WipeBy, WipeAskedAt: r.WipeAskedAt, WipeBegunAt: r.WipeBegunAt,
		WipedAt: r.WipedAt,
	}
}

// poolFault names a missing row and a taken address.
func poolFault(err error) error {
	if violated(err, "pool_machines_address_key") {
		return pool.ErrKnown
	}
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return pool.ErrNone
	}
	return err
}

// Add adds a machine.
func (s *Pool) Add(ctx context.Context, m pool.Machine, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := machineRowOf(m)
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return fmt.Errorf("store machine: %w", poolFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}

// Get finds a machine.
func (s *Pool) Get(ctx context.Context, id pool.ID) (pool.Machine, error) {
	return oneMachine(ctx, s.DB.NewSelect().Where("m.id = ?", id))
}

// OfServer finds the machine of a server.
func (s *Pool) OfServer(ctx context.Context, serverID string) (pool.Machine, error) {
	return oneMachine(ctx, s.DB.NewSelect().Where("m.server_id = ?", serverID))
}

func oneMachine(ctx context.Context, q *bun.SelectQuery) (pool.Machine, error) {
	var row machineRow
	if err := machines(q.Model(&row)).Scan(ctx); err != nil {
		return pool.Machine{}, fmt.Errorf("find machine: %w", poolFault(err))
	}
	return row.machine(), nil
}

// List gives all machines, by name.
func (s *Pool) List(ctx context.Context) ([]pool.Machine, error) {
	var rows []machineRow
	if err := machines(s.DB.NewSelect().Model(&rows)).Order("m.name", "m.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list machines: %w", toFault(err))
	}
	return each(rows, machineRow.machine), nil
}

// Change locks a machine, runs fn on it and saves it with the record that fn gave.
func (s *Pool) Change(ctx context.Context, id pool.ID, fn func(*pool.Machine) (*audit.Entry, error)) (pool.Machine, error) {
	var m pool.Machine
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) (err error) {
		if m, err = oneMachine(ctx, tx.NewSelect().Where("m.id = ?", id).For("UPDATE")); err != nil {
			return err
		}
		e, err := fn(&m)
		if err != nil {
			return err
		}
		row := machineRowOf(m)
		if _, err := tx.NewUpdate().Model(&row).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("change machine: %w", toFault(err))
		}
		if e == nil {
			return nil
		}
		return writeAudit(ctx, tx, *e)
	})
	return m, err
}

// Remove takes a machine that is nobody's off the list.
func (s *Pool) Remove(ctx context.Context, id pool.ID, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		m, err := oneMachine(ctx, tx.NewSelect().Where("m.id = ?", id).For("UPDATE"))
		if err != nil {
			return err
		}
		if m.State == pool.Taken {
			return pool.ErrTaken
		}
		if _, err := tx.NewDelete().Model((*machineRow)(nil)).Where("m.id = ?", id).Exec(ctx); err != nil {
			return fmt.Errorf("remove machine: %w", toFault(err))
		}
		return writeAudit(ctx, tx, e)
	})
}

// Take gives a free machine of the region to the server. Two orders at once never get the same one: each skips what another
// has locked.
func (s *Pool) Take(ctx context.Context, serverID, region string) (pool.Machine, error) {
	m, err := s.OfServer(ctx, serverID)
	if !errors.Is(err, pool.ErrNone) {
		return m, err
	}
	var row machineRow
	free := s.DB.NewSelect().Model((*machineRow)(nil)).Column("m.id").Where("m.state = 'free'").Where("m.region = ?", region).
		Order("m.created_at", "m.id").Limit(1).For("UPDATE SKIP LOCKED")
	err = s.DB.NewUpdate().Model(&row).Set("state = 'taken'").Set("server_id = ?", serverID).Where("m.id = (?)",
		free).Returning("*").Scan(ctx)
	if err != nil {
		return pool.Machine{}, fmt.Errorf("take machine: %w", poolFault(err))
	}
	return row.machine(), nil
}
