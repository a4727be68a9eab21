package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"gatehouse/app/provider/vpshost/hetzner"
)

// Rented keeps which rented machine is whose. It is hetzner.Store.
type Rented struct{ DB *DB }

var _ hetzner.Store = (*Rented)(nil)

// rentedRow mirrors table rented_machines.
type rentedRow struct {
	bun.BaseModel `bun:"table:rented_machines,alias:r"`
	ServerID      string `bun:"server_id,pk"`
	RentedID      int64  `bun:"rented_id"`
	Address       string `bun:"address"`
	Port          int    `bun:"port"`
	HostKey       string `bun:"host_key"`
}

// Rented finds the machine of a server, or answers hetzner.ErrNone.
func (s *Rented) Rented(ctx context.Context, serverID string) (hetzner.Machine, error) {
	var r rentedRow
	err := s.DB.NewSelect().Model(&r).Where("r.server_id = ?", serverID).Scan(ctx)
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return hetzner.Machine{}, fmt.Errorf("server %s: %w", serverID, hetzner.ErrNone)
	}
	if err != nil {
		return hetzner.Machine{}, fmt.Errorf("find rented machine: %w", err)
	}
	return hetzner.Machine{ServerID: r.ServerID, RentedID: r.RentedID, Address: r.Address, Port: r.Port, HostKey: r.HostKey}, nil
}

// Keep notes a server's machine, instead of what was noted before.

func (s *Rented) Keep(ctx context.Context, m hetzner.Machine) error {
	r := rentedRow{ServerID: m.ServerID, RentedID: m.RentedID, Address: m.Address, Port: m.Port, HostKey: m.HostKey}
	_, err := s.DB.NewInsert().Model(&r).On("CONFLICT (server_id) DO UPDATE").
		Set("rented_id = excluded.rented_id").Set("address = excluded.address").Set("port = excluded.port").
		Set("host_key = excluded.host_key").Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep rented machine: %w", toFault(err))
	}
	return nil
}

// Forget removes the note; one that is not there is fine.
func (s *Rented) Forget(ctx context.Context, serverID string) error {
	if _, err := s.DB.NewDelete().Model((*rentedRow)(nil)).Where("r.server_id = ?", serverID).Exec(ctx); err != nil {
		return fmt.Errorf("forget rented machine: %w", toFault(err))
	}
	return nil
}
