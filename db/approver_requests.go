package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/server"
)

var _ approver.Requests = (*Approvers)(nil)

// approverRequestRow mirrors table approver_requests.
type approverRequestRow struct {
	bun.BaseModel `bun:"table:approver_requests,alias:r"`
	ServerID      string    `bun:"server_id,pk"`
	KeyID         string    `bun:"key_id,pk"`
	SPKI          string    `bun:"spki"`
	Kind          string    `bun:"kind"`
	Label         string    `bun:"label"`
	Credential    string    `bun:"credential"`
	Address       string    `bun:"address"`
	StaffID       string    `bun:"staff_id,nullzero"`
	UserID        string    `bun:"user_id,nullzero"`
	Answer        string    `bun:"answer"`
	CreatedAt     time.Time `bun:"created_at"`
}

func toApproverRequestRow(id server.ID, r approver.Request) *approverRequestRow {
	return &approverRequestRow{
		ServerID: string(id), KeyID: r.KeyID, SPKI: r.SPKI, Kind: string(r.Kind), Label: r.Label, Credential: r.Credential,
		Address: r.Address, StaffID: r.Staff, UserID: r.User, CreatedAt: r.At,
	}
}

func (r approverRequestRow) request() approver.Request {
	return approver.Request{
		KeyID: r.KeyID, SPKI: r.SPKI, Kind: wire.KeyKind(r.Kind), Label: r.Label, Credential: r.Credential, Address: r.Address,
		Staff: r.StaffID, User: r.UserID, At: r.CreatedAt,
	}
}

// Waiting reads what devices have asked for since a time, and our staff since another, oldest first. What somebody asked who
// may not approve any more waits for nothing.
func (s *Approvers) Waiting(ctx context.Context, id server.ID, devices, staff time.Time) ([]approver.Request, error) {
	var rows []struct {
		approverRequestRow `bun:",extend"`
		Person             string `bun:"person"`
		Member             bool   `bun:"member"`
	}
	err := s.DB.bun(ctx).NewSelect().Model(&rows).ColumnExpr("r.*").ColumnExpr("coalesce(u.name, '') AS person").
		ColumnExpr("coalesce(u.role = 'member', false) AS member").Join("LEFT JOIN users AS u ON u.id = r.user_id").
		Where("u.id IS NULL OR u.role = 'owner' OR u.may_approve").
		Where("r.server_id = ?", id).Where("r.answer = ''").
		Where("r.created_at > CASE WHEN r.staff_id IS NULL THEN ?::timestamptz ELSE ?::timestamptz END", devices, staff).
		Order("r.created_at", "r.key_id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("load requests for keys: %w", toFault(err))
	}
	waiting := make([]approver.Request, len(rows))
	for i, row := range rows {
		waiting[i] = row.request()
		waiting[i].Person, waiting[i].Member = row.Person, row.Member
	}
	return waiting, nil
}

// Ask keeps a device's request, in place of an earlier one for the same key, and forgets what was asked before since.
func (s *Approvers) Ask(ctx context.Context, id server.ID, r approver.Request, since time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewDelete().Model((*approverRequestRow)(nil)).Where("r.server_id = ?", id).Where("r.staff_id IS NULL").
			Where("r.created_at <= ? OR r.key_id = ?", since, r.KeyID).Exec(ctx)
		if err != nil {
			return fmt.Errorf("forget requests for keys: %w", toFault(err))
		}
		return addRequest(ctx, tx, id, r)
	})
}

func addRequest(ctx context.Context, tx bun.IDB, id server.ID, r approver.Request) error {
	if _, err := tx.NewInsert().Model(toApproverRequestRow(id, r)).Exec(ctx); err != nil {
		return fmt.Errorf("store request for key: %w", toFault(err))
	}
	return nil
}

// Drop forgets a device's request and marks one of staff as refused; one that is not there is no error.
func (s *Approvers) Drop(ctx context.Context, id server.ID, keyID string) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewDelete().Model((*approverRequestRow)(nil)).Where("r.server_id = ?", id).Where("r.key_id = ?", keyID).
			Where("r.staff_id IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("forget request for key: %w", toFault(err))
		}
		_, err = tx.NewUpdate().Model((*approverRequestRow)(nil)).Set("answer = 'refused'").Where("r.server_id = ?", id).
			Where("r.key_id = ?", keyID).Where("r.staff_id IS NOT NULL").Where("r.answer = ''").Exec(ctx)
		if err != nil {
			return fmt.Errorf("refuse request for key: %w", toFault(err))
		}
		return nil
	})
}
