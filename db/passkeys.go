package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/passkey"
	"gatehouse/app/work"
)

// Passkeys keeps passkeys for signing in, and what authenticators were asked. It is passkey.Store.
type Passkeys struct {
	DB   *DB
	Jobs Enqueuer
}

var _ passkey.Store = (*Passkeys)(nil)

// passkeyRow mirrors table passkeys.
type passkeyRow struct {
	bun.BaseModel `bun:"table:passkeys,alias:pk"`
	ID            string          `bun:"id,pk"`
	UserID        string          `bun:"user_id,nullzero"`
	StaffID       string          `bun:"staff_id,nullzero"`
	KeyID         []byte          `bun:"credential"`
	Record        json.RawMessage `bun:"record,type:jsonb"`
	SignCount     int64           `bun:"sign_count"`
	Name          string          `bun:"name"`
	CreatedAt     time.Time       `bun:"created_at"`
	UsedAt        time.Time       `bun:"used_at,nullzero"`
	CustomerID    string          `bun:"customer_id,scanonly"`
}

func (r passkeyRow) record() (passkey.Record, error) {
	out := passkey.Record{
		Passkey: passkey.Passkey{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt, UsedAt: r.UsedAt},
		Owner:   passkey.Owner{Kind: passkey.Staff, ID: r.StaffID},
	}
	if r.UserID != "" {
		out.Owner = passkey.Owner{Kind: passkey.User, ID: r.UserID, CustomerID: r.CustomerID}
	}
	if err := json.Unmarshal(r.Record, &out.Public); err != nil {
		return out, fmt.Errorf("read passkey %s: %w", r.ID, err)
	}
	return out, nil
}

// owners are the columns of owners, by kind.
var owners = map[passkey.Kind]string{passkey.User: "user_id", passkey.Staff: "staff_id"}

// challengeRow mirrors table passkey_challenges.
type challengeRow struct {
	bun.BaseModel `bun:"table:passkey_challenges,alias:pc"`
	Hash          []byte          `bun:"hash,pk"`
	Purpose       string          `bun:"purpose"`
	OwnerID       string          `bun:"owner_id,nullzero"`
	Session       json.RawMessage `bun:"session,type:jsonb"`
	ExpiresAt     time.Time       `bun:"expires_at"`
}

// Ask keeps a challenge and forgets those that ran out.
func (s *Passkeys) Ask(ctx context.Context, c passkey.Challenge, now time.Time) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.NewDelete().Model((*challengeRow)(nil)).Where("pc.expires_at <= ?", now).Exec(ctx); err != nil {
			return fmt.Errorf("forget challenges: %w", toFault(err))
		}
		row := &challengeRow{Hash: c.Hash, Purpose: c.Purpose, OwnerID: c.Owner, Session: c.Session, ExpiresAt: c.ExpiresAt}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("keep challenge: %w", toFault(err))
		}
		return nil
	})
}

// Take gives the session of a challenge that waits, once.
func (s *Passkeys) Take(ctx context.Context, hash []byte, purpose, owner string, now time.Time) (json.RawMessage, error) {
	var row challengeRow
	err := s.DB.NewDelete().Model(&row).Where("pc.hash = ?", hash).Where("pc.purpose = ?", purpose).
		Where("coalesce(pc.owner_id::text, '') = ?", owner).Where("pc.expires_at > ?", now).Returning("*").Scan(ctx)
	if errors.Is(toFault(err), ErrNotFound) {
		return nil, passkey.ErrOver
	}
	return row.Session, toFault(err)
}

// Of lists the passkeys of somebody, oldest first.
func (s *Passkeys) Of(ctx context.Context, o passkey.Owner) ([]passkey.Record, error) {
	var rows []passkeyRow
	err := s.DB.NewSelect().Model(&rows).Where("? = ?", bun.Ident("pk."+owners[o.Kind]), o.ID).
		Order("pk.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list passkeys: %w", toFault(err))
	}
	all := make([]passkey.Record, 0, len(rows))
	for _, row := range rows {
		r, err := row.record()
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Add keeps a passkey, with its record and the mail about it. It locks the owner: of two at once, the second sees the first.
func (s *Passkeys) Add(ctx context.Context, r passkey.Record, limit int, e audit.Entry, letter work.SendMail) error {
	record, err := json.Marshal(r.Public)
	if err != nil {
		return fmt.Errorf("write passkey: %w", err)
	}
	row := &passkeyRow{
		ID: r.ID, KeyID: r.Public.ID, Record: record, SignCount: int64(r.Public.Authenticator.SignCount), Name: r.Name,
		CreatedAt: r.CreatedAt,
	}
	table := "staff"
	if row.StaffID = r.Owner.ID; r.Owner.Kind == passkey.User {
		row.StaffID, row.UserID, table = "", r.Owner.ID, "users"
	}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		lock := tx.NewRaw("SELECT FROM ? WHERE id = ? FOR NO KEY UPDATE", bun.Ident(table), r.Owner.ID)
		if _, err := lock.Exec(ctx); err != nil {
			return fmt.Errorf("lock owner: %w", toFault(err))
		}
		n, err := tx.NewSelect().Model((*passkeyRow)(nil)).Where("? = ?", bun.Ident("pk."+owners[r.Owner.Kind]), r.Owner.ID).Count(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("count passkeys: %w", toFault(err))
		case n >= int64(limit):
			return passkey.ErrFull
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); violated(err, "passkeys_credential_key") {
			return passkey.ErrKnown
		} else if err != nil {
			return fmt.Errorf("keep passkey: %w", toFault(err))
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{letter})
	})
}

// Rename gives a passkey of the owner's another name.
func (s *Passkeys) Rename(ctx context.Context, o passkey.Owner, id, name string, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		done, err := tx.NewUpdate().Model((*passkeyRow)(nil)).Set("name = ?", name).Where("pk.id = ?", id).
			Where("? = ?", bun.Ident("pk."+owners[o.Kind]), o.ID).Exec(ctx)
		if err != nil {
			return fmt.Errorf("rename passkey: %w", toFault(err))
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, passkey.ErrGone)
		}
		return writeAudit(ctx, tx, e)
	})
}

// Remove takes a passkey of the owner's away.
func (s *Passkeys) Remove(ctx context.Context, o passkey.Owner, id string, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		done, err := tx.NewDelete().Model((*passkeyRow)(nil)).Where("pk.id = ?", id).
			Where("? = ?", bun.Ident("pk."+owners[o.Kind]), o.ID).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove passkey: %w", toFault(err))
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, passkey.ErrGone)
		}
		return writeAudit(ctx, tx, e)
	})
}

// Use locks a passkey of the kind whose owner may sign in, and keeps its counter and time when fn is content.
func (s *Passkeys) Use(ctx context.Context, k passkey.Kind, keyID []byte, fn func(*passkey.Record) error) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var row passkeyRow
		q := tx.NewSelect().Model(&row).ColumnExpr("pk.*").Where("pk.credential = ?", keyID).For("UPDATE OF pk")
		if k == passkey.User {
			q = q.ColumnExpr("u.customer_id").Join("JOIN users u ON u.id = pk.user_id AND u.removed_at IS NULL")
		} else {
			q = q.Join("JOIN staff st ON st.id = pk.staff_id AND st.off_at IS NULL AND st.second_at IS NOT NULL")
		}
		if err := toFault(q.Scan(ctx)); errors.Is(err, ErrNotFound) {
			return passkey.ErrUnknown
		} else if err != nil {
			return fmt.Errorf("find passkey: %w", err)
		}
		r, err := row.record()
		if err != nil {
			return err
		}
		if err := fn(&r); err != nil {
			return err
		}
		if row.Record, err = json.Marshal(r.Public); err != nil {
			return fmt.Errorf("write passkey: %w", err)
		}
		row.SignCount, row.UsedAt = int64(r.Public.Authenticator.SignCount), r.UsedAt
		_, err = tx.NewUpdate().Model(&row).Column("record", "sign_count", "used_at").WherePK().Exec(ctx)
		return toFault(err)
	})
}
