package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// seenRow mirrors table machines_seen.
type seenRow struct {
	bun.BaseModel `bun:"table:machines_seen,alias:ms"`
	ServerID      string          `bun:"server_id,pk"`
	Power         string          `bun:"power"`
	Rescue        bool            `bun:"rescue"`
	Measures      json.RawMessage `bun:"measures,type:jsonb"`
	Problem       string          `bun:"problem"`
	SeenAt        time.Time       `bun:"seen_at,nullzero"`
}

// snapshotRow mirrors table machine_snapshots.
type snapshotRow struct {
	bun.BaseModel `bun:"table:machine_snapshots,alias:sn"`
	ID            string    `bun:"id,pk"`
	ServerID      string    `bun:"server_id"`
	Place         string    `bun:"place"`
	Name          string    `bun:"name"`
	Size          int64     `bun:"size"`
	MadeAt        time.Time `bun:"made_at"`
	Ready         bool      `bun:"ready"`
}

func (r snapshotRow) copy() machine.Copy {
	return machine.Copy{
		ID: r.ID, ServerID: server.ID(r.ServerID),
		Snapshot: machine.Snapshot{Place: r.Place, Name: r.Name, Size: r.Size, MadeAt: r.MadeAt, Ready: r.Ready},
	}
}

// Seen is what is known of a machine.
func (s *MachineActs) Seen(ctx context.Context, id server.ID) (machine.Seen, error) {
	var row seenRow
	err := s.DB.bun(ctx).NewSelect().Model(&row).Where("ms.server_id = ?", id).Scan(ctx)
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return machine.Seen{State: machine.State{Power: machine.PowerUnknown}}, nil
	}
	if err != nil {
		return machine.Seen{}, fmt.Errorf("find machine: %w", err)
	}
	seen := machine.Seen{
		State: machine.State{Power: machine.Power(row.Power), Rescue: row.Rescue}, At: row.SeenAt, Problem: row.Problem,
	}
	if err := json.Unmarshal(row.Measures, &seen.Measures); err != nil {
		return seen, fmt.Errorf("read measures of %s: %w", id, err)
	}
	return seen, nil
}

// Saw keeps what was seen, with the snapshots that there are; nil snapshots leave those that are kept.
func (s *MachineActs) Saw(ctx context.Context, id server.ID, seen machine.Seen, all []machine.Snapshot) error {
	if seen.Measures == nil {
		seen.Measures = []machine.Measure{}
	}
	measures, err := json.Marshal(seen.Measures)
	if err != nil {
		return fmt.Errorf("keep machine: %w", err)
	}
	row := &seenRow{
		ServerID: string(id), Power: string(seen.Power), Rescue: seen.Rescue, Measures: measures, Problem: seen.Problem, SeenAt: seen.At,
	}
	if row.Power == "" {
		row.Power = string(machine.PowerUnknown)
	}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewInsert().Model(row).On("CONFLICT (server_id) DO UPDATE").Set("power = excluded.power").
			Set("rescue = excluded.rescue").Set("measures = excluded.measures").Set("problem = excluded.problem").
			Set("seen_at = excluded.seen_at").Exec(ctx)
		if err != nil {
			return fmt.Errorf("keep machine: %w", toFault(err))
		}
		if all == nil {
			return nil
		}
		return keepSnapshots(ctx, tx, id, all)
	})
}

// keepSnapshots makes the list of a server's snapshots that of its provider. One that is known keeps its id.
func keepSnapshots(ctx context.Context, tx Tx, id server.ID, all []machine.Snapshot) error {
	places := []string{""}
	rows := make([]snapshotRow, 0, len(all))
	for _, c := range all {
		key, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("keep snapshots: %w", err)
		}
		places = append(places, c.Place)
		rows = append(rows, snapshotRow{
			ID: key.String(), ServerID: string(id), Place: c.Place, Name: c.Name, Size: c.Size, MadeAt: c.MadeAt, Ready: c.Ready,
		})
	}
	_, err := tx.NewDelete().Model((*snapshotRow)(nil)).Where("sn.server_id = ?", id).
		Where("sn.place NOT IN (?)", bun.List(places)).Exec(ctx)
	if err == nil && len(rows) > 0 {
		_, err = tx.NewInsert().Model(&rows).On("CONFLICT (server_id, place) DO UPDATE").Set("name = excluded.name").
			Set("size = excluded.size").Set("made_at = excluded.made_at").Set("ready = excluded.ready").Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("keep snapshots: %w", toFault(err))
	}
	return nil
}

// AskLook queues a look at a machine.
func (s *MachineActs) AskLook(ctx context.Context, id server.ID) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.LookAtMachine{ServerID: string(id)}})
	})
}

// Copies lists the snapshots of a server, newest first.
func (s *MachineActs) Copies(ctx context.Context, id server.ID) ([]machine.Copy, error) {
	var rows []snapshotRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("sn.server_id = ?", id).Order("sn.made_at DESC", "sn.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", toFault(err))
	}
	return each(rows, snapshotRow.copy), nil
}

// Copy finds a snapshot, or answers machine.ErrNoSnapshot.
func (s *MachineActs) Copy(ctx context.Context, id string) (machine.Copy, error) {
	var row snapshotRow
	err := s.DB.bun(ctx).NewSelect().Model(&row).Where("sn.id = ?", id).Scan(ctx)
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return machine.Copy{}, machine.ErrNoSnapshot
	}
	if err != nil {
		return machine.Copy{}, fmt.Errorf("find snapshot: %w", err)
	}
	return row.copy(), nil
}
