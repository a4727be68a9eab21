package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/server"
)

// Approvers keeps what servers say about their approver keys. It is approver.Store and approval.Keys. Jobs is what
// AskAsStaff needs.
type Approvers struct {
	DB   *DB
	Jobs Enqueuer
}

var (
	_ approver.Store = (*Approvers)(nil)
	_ approval.Keys  = (*Approvers)(nil)
)

// approverKeyRow mirrors table approver_keys.
type approverKeyRow struct {
	bun.BaseModel `bun:"table:approver_keys,alias:k"`
	ServerID      string    `bun:"server_id,pk"`
	KeyID         string    `bun:"key_id,pk"`
	SPKI          string    `bun:"spki"`
	Kind          string    `bun:"kind"`
	Holder        string    `bun:"holder"`
	Label         string    `bun:"label"`
	Credential    string    `bun:"credential"`
	AddedBy       string    `bun:"added_by"`
	CreatedAt     time.Time `bun:"created_at"`
}

func toApproverKeyRow(id server.ID, k wire.ApproverKey) approverKeyRow {
	return approverKeyRow{
		ServerID: string(id), KeyID: k.KeyID, SPKI: k.SPKI, Kind: string(k.Kind), Holder: string(k.Holder), Label: k.Label,
		Credential: k.Credential, AddedBy: k.AddedBy, CreatedAt: k.CreatedAt,
	}
}

// approverListRow mirrors table approver_lists.
type approverListRow struct {
	bun.BaseModel `bun:"table:approver_lists,alias:l"`
	ServerID      string               `bun:"server_id,pk"`
	CardKey       string               `bun:"card_key"`
	Sig           string               `bun:"sig"`
	Recovery      *wire.SealedRecovery `bun:"recovery,type:jsonb,nullzero"`
}

// keysJSON are the keys of server s as one value, so that they are read in one statement with the signature over them: a
// report in between would make the list look forged.
const keysJSON = `(SELECT json_agg(json_build_object('key_id', k.key_id, 'spki', k.spki, 'kind', k.kind, 'holder', k.holder,
	'label', k.label, 'credential_id', k.credential, 'added_by', k.added_by, 'created_at', k.created_at)
	ORDER BY k.created_at, k.key_id) FROM approver_keys AS k WHERE k.server_id = s.id) AS keys`

// Of reads the keys of the customer's server, oldest first.
func (s *Approvers) Of(ctx context.Context, of account.CustomerID) (approver.Ring, error) {
	var row struct {
		approverListRow `bun:",extend"`
		Version         int64              `bun:"version"`
		Keys            []wire.ApproverKey `bun:"keys"`
	}
	err := s.DB.bun(ctx).NewSelect().TableExpr("servers AS s").Join("LEFT JOIN config_states AS st ON st.server_id = s.id").
		Join("LEFT JOIN approver_lists AS l ON l.server_id = s.id").
		ColumnExpr("s.id AS server_id").ColumnExpr("coalesce(st.version, 0) AS version").
		ColumnExpr("coalesce(l.card_key, '') AS card_key").ColumnExpr("coalesce(l.sig, '') AS sig").ColumnExpr("l.recovery").
		ColumnExpr(keysJSON).
		Where("s.customer_id = ?", of).Where("s.revoked_at IS NULL").Where("NOT s.next").Scan(ctx, &row)
	if err != nil {
		return approver.Ring{}, fmt.Errorf("load approver keys: %w", toFault(err))
	}
	ring := approver.Ring{ServerID: server.ID(row.ServerID), Version: row.Version, Keys: row.Keys, Recovery: row.Recovery}
	if row.Sig != "" {
		ring.Vouched = &wire.Vouched{Key: row.CardKey, Sig: row.Sig}
	}
	return ring, nil
}

// Holder says whose key it is, as a server has reported it, and who exactly: of one of staff, who asked for it, of others the
// person of the business; "" when the server reported none of that name, or it is not known.
func (s *Approvers) Holder(ctx context.Context, id server.ID, keyID string) (h wire.Holder, member string, err error) {
	err = s.DB.bun(ctx).NewSelect().Model((*approverKeyRow)(nil)).Column("k.holder").
		ColumnExpr("coalesce(r.staff_id::text, p.user_id::text, '')").
		Join("LEFT JOIN approver_people AS p ON p.server_id = k.server_id AND p.key_id = k.key_id").
		Join("LEFT JOIN approver_requests AS r ON r.server_id = k.server_id AND r.key_id = k.key_id").
		Where("k.server_id = ?", id).Where("k.key_id = ?", keyID).Scan(ctx, &h, &member)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", "", fmt.Errorf("look for approver key: %w", toFault(err))
	}
	return h, member, nil
}

// Report keeps what a server says about its keys: all of them, in place of what it said before.
func (s *Approvers) Report(ctx context.Context, id server.ID, st wire.ApproverState) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.NewDelete().Model((*approverKeyRow)(nil)).Where("k.server_id = ?", id).Exec(ctx); err != nil {
			return fmt.Errorf("store approver keys: %w", toFault(err))
		}
		if err := storeKeyList(ctx, tx, id, st); err != nil {
			return err
		}
		if len(st.Keys) == 0 {
			return nil
		}
		rows := each(st.Keys, func(k wire.ApproverKey) approverKeyRow { return toApproverKeyRow(id, k) })
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return fmt.Errorf("store approver keys: %w", toFault(err))
		}
		_, err := tx.NewUpdate().Model((*approverRequestRow)(nil)).TableExpr("approver_keys AS k").Set("answer = 'added'").
			Where("r.server_id = ?", id).Where("r.staff_id IS NOT NULL").Where("r.answer <> 'added'").
			Where("k.server_id = r.server_id").Where("k.key_id = r.key_id").Exec(ctx)
		if err != nil {
			return fmt.Errorf("store whose approver keys they are: %w", toFault(err))
		}
		return nil
	})
}

// storeKeyList keeps the signature over the list of a server's keys, and the recovery code that waits; none, when the report
// came without.
func storeKeyList(ctx context.Context, tx Tx, id server.ID, st wire.ApproverState) error {
	if _, err := tx.NewDelete().Model((*approverListRow)(nil)).Where("l.server_id = ?", id).Exec(ctx); err != nil {
		return fmt.Errorf("store list of approver keys: %w", toFault(err))
	}
	v := st.Vouched
	if v == nil {
		return nil
	}
	row := approverListRow{ServerID: string(id), CardKey: v.Key, Sig: v.Sig, Recovery: st.Recovery}
	if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
		return fmt.Errorf("store list of approver keys: %w", toFault(err))
	}
	return nil
}
