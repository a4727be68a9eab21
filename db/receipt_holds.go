package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
)

// holdRow mirrors table receipt_holds.
type holdRow struct {
	bun.BaseModel `bun:"table:receipt_holds,alias:h"`
	ID            string    `bun:"id,pk"`
	ServerID      string    `bun:"server_id"`
	Why           string    `bun:"why"`
	Said          string    `bun:"said,nullzero"` // JSON as it is written
	At            time.Time `bun:"at"`
	ReleasedAt    time.Time `bun:"released_at,nullzero"`
}

func toHoldRow(h receipt.Hold) (*holdRow, error) {
	key, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	row := &holdRow{ID: key.String(), ServerID: string(h.Server), Why: h.Why, At: h.At}
	if h.Said != nil {
		raw, err := json.Marshal(h.Said)
		if err != nil {
			return nil, err
		}
		row.Said = string(raw)
	}
	return row, nil
}

func (r holdRow) hold() (receipt.Hold, error) {
	h := receipt.Hold{Server: server.ID(r.ServerID), Why: r.Why, At: r.At}
	if r.Said == "" {
		return h, nil
	}
	return h, json.Unmarshal([]byte(r.Said), &h.Said)
}

// Hold opens a hold on a server and raises the alert, both or neither; an open hold stays as it is.
func (s *Checkpoints) Hold(ctx context.Context, h receipt.Hold) error {
	row, err := toHoldRow(h)
	if err != nil {
		return fmt.Errorf("hold server: %w", err)
	}
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewInsert().Model(row).On("CONFLICT (server_id) WHERE released_at IS NULL DO NOTHING").Exec(ctx)
		if err != nil {
			return toFault(err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return (&Alerts{DB: s.DB}).Raise(ctx, h.Server, wire.Alert{Kind: receipt.Broken, Severity: "hard", Text: h.Why, Time: h.At}, h.At)
	})
	if err != nil {
		return fmt.Errorf("hold server: %w", err)
	}
	return nil
}

// Held gives the open hold on a server; its At is zero when there is none.
func (s *Checkpoints) Held(ctx context.Context, id server.ID) (receipt.Hold, error) {
	var row holdRow
	err := toFault(s.DB.bun(ctx).NewSelect().Model(&row).Where("h.server_id = ?", id).Where("h.released_at IS NULL").Scan(ctx))
	if errors.Is(err, ErrNotFound) {
		return receipt.Hold{}, nil
	}
	if err != nil {
		return receipt.Hold{}, fmt.Errorf("load hold: %w", err)
	}
	return row.hold()
}

// AllHeld gives the open holds, oldest first.
func (s *Checkpoints) AllHeld(ctx context.Context, limit int) ([]receipt.Hold, error) {
	var rows []holdRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("h.released_at IS NULL").Order("h.at", "h.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list holds: %w", toFault(err))
	}
	list, err := eachOrErr(rows, holdRow.hold)
	if err != nil {
		return nil, fmt.Errorf("list holds: %w", err)
	}
	return list, nil
}

// Release ends the open hold of a server and records who did it; false when there is none.
func (s *Checkpoints) Release(ctx context.Context, id server.ID, at time.Time, e audit.Entry) (done bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewUpdate().Model((*holdRow)(nil)).TableExpr("servers AS s").Set("released_at = greatest(?, h.at)", at).
			Where("h.server_id = ?", id).Where("h.released_at IS NULL").Where("s.id = h.server_id").
			Returning("s.customer_id").Exec(ctx, &e.CustomerID)
		if err = toFault(err); errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		done = true
		return writeAudit(ctx, tx, e)
	})
	if err != nil {
		return false, fmt.Errorf("release hold: %w", err)
	}
	return done, nil
}
