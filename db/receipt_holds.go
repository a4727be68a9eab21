package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
)

// Hold opens a hold on a server and raises the alert, both or neither; an open hold stays as it is.
func (s *Checkpoints) Hold(ctx context.Context, h receipt.Hold) error {
	key, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("hold server: %w", err)
	}
	var said any // NULL, not the JSON word null
	if h.Said != nil {
		raw, err := json.Marshal(h.Said)
		if err != nil {
			return fmt.Errorf("hold server: %w", err)
		}
		said = string(raw)
	}
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		tag, err := tx.PGX.Exec(ctx, `INSERT INTO receipt_holds (id, server_id, why, said, at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (server_id) WHERE released_at IS NULL DO NOTHING`, cached, key.String(), string(h.Server), h.Why, said, h.At)
		if err != nil || tag.RowsAffected() == 0 {
			return toFault(err)
		}
		return (&Alerts{DB: s.DB}).Raise(ctx, h.Server, wire.Alert{Kind: receipt.Broken, Severity: "hard", Text: h.Why, Time: h.At}, h.At)
	})
	if err != nil {
		return fmt.Errorf("hold server: %w", err)
	}
	return nil
}

const holdSelect = "SELECT server_id::text, why, at, said::text FROM receipt_holds WHERE released_at IS NULL "

// Held gives the open hold on a server; its At is zero when there is none.
func (s *Checkpoints) Held(ctx context.Context, id server.ID) (receipt.Hold, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, holdSelect+"AND server_id = $1", cached, string(id))
	if err != nil {
		return receipt.Hold{}, fmt.Errorf("load hold: %w", toFault(err))
	}
	h, err := pgx.CollectOneRow(rows, scanHold)
	if errors.Is(err, pgx.ErrNoRows) {
		return receipt.Hold{}, nil
	}
	if err != nil {
		return receipt.Hold{}, fmt.Errorf("load hold: %w", toFault(err))
	}
	return h, nil
}

// AllHeld gives the open holds, oldest first.
func (s *Checkpoints) AllHeld(ctx context.Context, limit int) ([]receipt.Hold, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, holdSelect+"ORDER BY at, id LIMIT $1", cached, limit)
	if err != nil {
		return nil, fmt.Errorf("list holds: %w", toFault(err))
	}
	list, err := pgx.CollectRows(rows, scanHold)
	if err != nil {
		return nil, fmt.Errorf("list holds: %w", toFault(err))
	}
	return list, nil
}

func scanHold(row pgx.CollectableRow) (h receipt.Hold, err error) {
	var said *string
	if err := row.Scan((*string)(&h.Server), &h.Why, &h.At, &said); err != nil || said == nil {
		return h, err
	}
	return h, json.Unmarshal([]byte(*said), &h.Said)
}

// Release ends the open hold of a server and records who did it; false when there is none.
func (s *Checkpoints) Release(ctx context.Context, id server.ID, at time.Time, e audit.Entry) (done bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		err := tx.PGX.QueryRow(ctx, `UPDATE receipt_holds h SET released_at = greatest($2, h.at) FROM servers s
			WHERE h.server_id = $1 AND h.released_at IS NULL AND s.id = h.server_id RETURNING s.customer_id::text`, cached, string(id), at).Scan(&e.CustomerID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return toFault(err)
		}
		done = true
		return writeAudit(ctx, tx, e)
	})
	if err != nil {
		return false, fmt.Errorf("release hold: %w", err)
	}
	return done, nil
}
