package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/second"
	"gatehouse/app/staff"
)

// Staff keeps our own people; the secret of the second factor is sealed. It is staff.Store.
type Staff struct {
	DB   *DB
	Keys *Keyring
	Jobs Enqueuer // of mails to staff; nil where none are sent
}

var _ staff.Store = (*Staff)(nil)

// staffRow mirrors table staff.
type staffRow struct {
	bun.BaseModel `bun:"table:staff,alias:st"`
	ID            string    `bun:"id,pk"`
	Email         string    `bun:"email"`
	EmailFolded   string    `bun:"email_folded"`
	Name          string    `bun:"name"`
	Role          string    `bun:"role"`
	PasswordHash  string    `bun:"password_hash"`
	TOTPSecret    []byte    `bun:"totp_secret"` // sealed
	TOTPStep      int64     `bun:"totp_step"`
	TOTPTries     int       `bun:"totp_tries"`
	TOTPSince     time.Time `bun:"totp_since,nullzero"`
	TOTPNext      []byte    `bun:"totp_next,nullzero"` // sealed
	BackupCodes   []string  `bun:"backup_codes,array"` // hashes
	Locale        string    `bun:"locale"`
	CreatedAt     time.Time `bun:"created_at"`
	SecondAt      time.Time `bun:"second_at,nullzero"`
	SeenAt        time.Time `bun:"seen_at,nullzero"`
	OffAt         time.Time `bun:"off_at,nullzero"`
	Photo         string    `bun:"photo,nullzero"`
}

func (r staffRow) member() staff.Member {
	return staff.Member{
		ID: staff.ID(r.ID), Email: r.Email, Name: r.Name, Role: staff.Role(r.Role), Locale: r.Locale,
		CreatedAt: r.CreatedAt, SecondAt: r.SecondAt, SeenAt: r.SeenAt, OffAt: r.OffAt, Photo: r.Photo,
	}
}

// Create adds a member with its secrets and records who did it.
func (s *Staff) Create(ctx context.Context, m staff.Member, hash string, factor second.Factor, e audit.Entry) error {
	row := s.newRow(m, hash, factor)
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := insertStaff(ctx, tx, row); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

func (s *Staff) newRow(m staff.Member, hash string, factor second.Factor) *staffRow {
	return &staffRow{
		ID: string(m.ID), Email: m.Email, EmailFolded: account.Fold(m.Email), Name: m.Name, Role: string(m.Role), PasswordHash: hash,
		TOTPSecret: s.seal(string(m.ID), factor.Secret), TOTPStep: factor.LastStep, BackupCodes: []string{},
		Locale: m.Locale, CreatedAt: m.CreatedAt, SecondAt: m.SecondAt,
	}
}

func insertStaff(ctx context.Context, tx Tx, row *staffRow) error {
	_, err := tx.NewInsert().Model(row).Exec(ctx)
	if violated(err, "staff_email") {
		return staff.ErrTaken
	}
	return toFault(err)
}

// ByEmail finds a working member by the folded address, with the hash of the password.
func (s *Staff) ByEmail(ctx context.Context, folded string) (staff.Member, string, error) {
	var row staffRow
	if err := s.DB.NewSelect().Model(&row).Where("st.email_folded = ?", folded).Where("st.off_at IS NULL").Scan(ctx); err != nil {
		return staff.Member{}, "", fmt.Errorf("find staff by address: %w", toFault(err))
	}
	return row.member(), row.PasswordHash, nil
}

// Get finds a working member.
func (s *Staff) Get(ctx context.Context, id staff.ID) (staff.Member, error) {
	row, err := s.load(ctx, s.DB.NewSelect(), id)
	if err != nil {
		return staff.Member{}, err
	}
	return row.member(), nil
}

func (s *Staff) load(ctx context.Context, q *bun.SelectQuery, id staff.ID) (staffRow, error) {
	var row staffRow
	if err := q.Model(&row).Where("st.id = ?", id).Where("st.off_at IS NULL").Scan(ctx); err != nil {
		return row, fmt.Errorf("load staff: %w", toFault(err))
	}
	return row, nil
}

// Find finds a member, also one who was switched off.
func (s *Staff) Find(ctx context.Context, id staff.ID) (staff.Member, error) {
	var row staffRow
	if err := s.DB.NewSelect().Model(&row).Where("st.id = ?", id).Scan(ctx); err != nil {
		return staff.Member{}, fmt.Errorf("find staff: %w", toFault(err))
	}
	return row.member(), nil
}

// List gives all members, oldest first.
func (s *Staff) List(ctx context.Context) ([]staff.Member, error) {
	var rows []staffRow
	if err := s.DB.NewSelect().Model(&rows).Order("st.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list staff: %w", toFault(err))
	}
	return each(rows, staffRow.member), nil
}

// Second locks the second factor of a working member, runs fn on it and saves it, whatever fn found out: the count of
// refused codes must hold too.
func (s *Staff) Second(ctx context.Context, id staff.ID, fn func(*second.Factor)) (staff.Member, error) {
	var row staffRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) (err error) {
		if row, err = s.load(ctx, tx.NewSelect().For("UPDATE"), id); err != nil {
			return err
		}
		secret, err := s.Keys.Open("staff", row.ID, "totp_secret", row.TOTPSecret)
		if err != nil {
			return err
		}
		f := second.Factor{Secret: string(secret), LastStep: row.TOTPStep, Tries: row.TOTPTries, Since: row.TOTPSince}
		fn(&f)
		row.TOTPStep, row.TOTPTries, row.TOTPSince = f.LastStep, f.Tries, f.Since
		if _, err := tx.NewUpdate().Model(&row).Column("totp_step", "totp_tries", "totp_since").WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("save second factor: %w", toFault(err))
		}
		return nil
	})
	return row.member(), err
}

func (s *Staff) seal(id, secret string) []byte {
	return s.Keys.Seal("staff", id, "totp_secret", []byte(secret))
}
