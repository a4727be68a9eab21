package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/server"
)

// approverPersonRow mirrors table approver_people.
type approverPersonRow struct {
	bun.BaseModel `bun:"table:approver_people,alias:p"`
	ServerID      string `bun:"server_id,pk"`
	KeyID         string `bun:"key_id,pk"`
	UserID        string `bun:"user_id"`
}

// Belongs keeps which person of the business a key is of.
func (s *Approvers) Belongs(ctx context.Context, id server.ID, keyID, userID string) error {
	row := &approverPersonRow{ServerID: string(id), KeyID: keyID, UserID: userID}
	_, err := s.DB.bun(ctx).NewInsert().Model(row).On("CONFLICT (server_id, key_id) DO UPDATE").Set("user_id = EXCLUDED.user_id").Exec(ctx)
	if err != nil {
		return fmt.Errorf("keep whose key it is: %w", toFault(err))
	}
	return nil
}

// People says whose the keys of a customer's server are, by key.
func (s *Approvers) People(ctx context.Context, of account.CustomerID) (map[string]approver.Person, error) {
	var rows []struct {
		KeyID   string `bun:"key_id"`
		UserID  string `bun:"user_id"`
		Name    string `bun:"name"`
		Role    string `bun:"role"`
		Chat    bool   `bun:"may_chat"`
		Approve bool   `bun:"may_approve"`
	}
	err := s.DB.bun(ctx).NewSelect().TableExpr("approver_people AS p").Join("JOIN servers AS s ON s.id = p.server_id").
		Join("JOIN users AS u ON u.id = p.user_id").Column("p.key_id", "p.user_id", "u.name", "u.role", "u.may_chat", "u.may_approve").
		Where("s.customer_id = ?", of).Where("s.revoked_at IS NULL").Where("NOT s.next").Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("load whose keys they are: %w", toFault(err))
	}
	people := map[string]approver.Person{}
	for _, r := range rows {
		rights := account.Rights{Role: account.Role(r.Role), Chat: r.Chat, Approve: r.Approve}
		people[r.KeyID] = approver.Person{UserID: r.UserID, Name: r.Name, Rights: rights}
	}
	return people, nil
}

// Decides says whether a person of the customer may decide requests now. It locks nothing: who is removed in this moment has
// decided in the last one.
func (s *Approvers) Decides(ctx context.Context, of account.CustomerID, userID string) (bool, error) {
	may, err := s.DB.bun(ctx).NewSelect().Model((*userRow)(nil)).Where("u.customer_id = ?", of).Where("u.id = ?", userID).
		Where("u.removed_at IS NULL").Where("u.role = 'owner' OR u.may_approve").Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look for the right to decide: %w", toFault(err))
	}
	return may, nil
}
