package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/signin"
	"gatehouse/app/tune"
)

// Signins is the table of browsers' logins.
type Signins struct {
	DB   *DB
	Idle tune.Value[time.Duration] // after which our staff are signed out, where that is sooner than it comes
}

var _ signin.Store = (*Signins)(nil)

// signinRow mirrors table signins and never leaves this package.
type signinRow struct {
	bun.BaseModel `bun:"table:signins,alias:s"`
	ID            string    `bun:"id,pk"`
	Hash          []byte    `bun:"hash"`
	Kind          string    `bun:"kind"`
	CustomerID    string    `bun:"customer_id,nullzero"`
	UserID        string    `bun:"user_id,nullzero"`
	StaffID       string    `bun:"staff_id,nullzero"`
	CreatedAt     time.Time `bun:"created_at"` // UTC
	SeenAt        time.Time `bun:"seen_at"`    // UTC
	FreshAt       time.Time `bun:"fresh_at"`   // UTC
	ExpiresAt     time.Time `bun:"expires_at"` // UTC
	Address       string    `bun:"address"`
	Browser       string    `bun:"browser"`
}

// swept is how many dead rows one new sign-in takes away; each adds one row, so the table stays as small as it can be.
const swept = 100

// Replace ends the sign-in under the hash old, if any, and adds s under hash. Dead rows go on the way.
func (d *Signins) Replace(ctx context.Context, old, hash []byte, s signin.Signin) error {
	row := signinRow{
		ID: s.ID, Hash: hash, Kind: string(s.Kind), CustomerID: s.CustomerID, UserID: s.UserID, StaffID: s.StaffID,
		CreatedAt: s.CreatedAt, SeenAt: s.SeenAt, FreshAt: s.FreshAt, ExpiresAt: s.ExpiresAt, Address: s.Address, Browser: s.Browser,
	}
	err := d.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if old != nil {
			if _, err := tx.NewDelete().Model((*signinRow)(nil)).Where("s.hash = ?", old).Exec(ctx); err != nil {
				return fmt.Errorf("end old sign-in: %w", err)
			}
		}
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return fmt.Errorf("add sign-in: %w", toFault(err))
		}
		return sweepSignins(ctx, tx, s.CreatedAt)
	})
	if err == nil && s.Kind == signin.Staff {
		err = d.seen(ctx, s.ID, s.SeenAt)
	}
	return err
}

// seen notes on the list of our staff when the person of a sign-in was last here. It is no part of another change: that would
// lock what is locked the other way round where somebody is switched off.
func (d *Signins) seen(ctx context.Context, id string, at time.Time) error {
	_, err := d.DB.Pool.Exec(ctx, `UPDATE staff SET seen_at = $2 FROM signins s
		WHERE s.id = $1 AND s.kind = 'staff' AND staff.id = s.staff_id AND (staff.seen_at IS NULL OR staff.seen_at < $2)`, id, at)
	if err != nil {
		return fmt.Errorf("note when staff was seen: %w", err)
	}
	return nil
}

// sweepSignins removes rows past their end, and waits for nobody who does the same.
func sweepSignins(ctx context.Context, tx bun.IDB, now time.Time) error {
	dead := tx.NewSelect().Model((*signinRow)(nil)).Column("s.id").Where("s.expires_at <= ?", now).Limit(swept).For("UPDATE SKIP LOCKED")
	if _, err := tx.NewDelete().Model((*signinRow)(nil)).Where("s.id IN (?)", dead).Exec(ctx); err != nil {
		return fmt.Errorf("sweep sign-ins: %w", err)
	}
	return nil
}

// findSignin is asked for by every request of a page; its text never changes, so the server keeps the plan.
const findSignin = `SELECT s.id, s.kind, coalesce(s.customer_id::text, ''), coalesce(s.user_id::text, ''), coalesce(s.staff_id::text, ''),
	s.created_at, s.seen_at, s.fresh_at, s.expires_at, s.address, s.browser,
	coalesce(u.email, f.email), coalesce(u.name, f.name), coalesce(u.role, f.role), coalesce(c.name, ''), coalesce(c.time_zone, 'UTC'),
	coalesce(u.locale, f.locale, ''), coalesce(u.may_chat, false), coalesce(u.may_approve, false)
FROM signins s
LEFT JOIN users u ON u.id = s.user_id AND u.removed_at IS NULL
LEFT JOIN customers c ON c.id = s.customer_id
LEFT JOIN staff f ON f.id = s.staff_id AND f.off_at IS NULL
WHERE s.hash = @hash AND (u.id IS NOT NULL OR f.id IS NOT NULL)`

// Find returns the sign-in under hash and its person, or signin.ErrNone.
func (d *Signins) Find(ctx context.Context, hash []byte) (signin.Signin, signin.Person, error) {
	var s signin.Signin
	var p signin.Person
	row := d.DB.Pool.QueryRow(ctx, findSignin, cached, named{"hash": hash})
	err := row.Scan(&s.ID, &s.Kind, &s.CustomerID, &s.UserID, &s.StaffID,
		&s.CreatedAt, &s.SeenAt, &s.FreshAt, &s.ExpiresAt, &s.Address, &s.Browser,
		&p.Email, &p.Name, &p.Role, &p.Business, &p.TimeZone, &p.Locale, &p.Chat, &p.Approve)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, p, signin.ErrNone
	}
	if err != nil {
		return s, p, fmt.Errorf("find sign-in: %w", err)
	}
	return s, p, nil
}

// Touch notes that a sign-in was used at seen; an older use never overwrites a newer one.
func (d *Signins) Touch(ctx context.Context, id string, seen time.Time) error {
	_, err := d.DB.NewUpdate().Model((*signinRow)(nil)).Set("seen_at = ?", seen).Where("s.id = ?", id).Where("s.seen_at < ?", seen).Exec(ctx)
	if err != nil {
		return fmt.Errorf("touch sign-in: %w", err)
	}
	return d.seen(ctx, id, seen)
}

// End ends one sign-in; ending it twice is no error.
func (d *Signins) End(ctx context.Context, id string) error {
	if _, err := d.DB.NewDelete().Model((*signinRow)(nil)).Where("s.id = ?", id).Exec(ctx); err != nil {
		return fmt.Errorf("end sign-in: %w", err)
	}
	return nil
}

// EndOthers ends every sign-in of the person but keep ("" for all), and returns the ids it ended.
func (d *Signins) EndOthers(ctx context.Context, of signin.Subject, keep string) ([]string, error) {
	return endSignins(ctx, d.DB, of, signin.Which{But: keep})
}

// EndOnRecord ends sign-ins of the person, records it and returns the ids that it ended.
func (d *Signins) EndOnRecord(ctx context.Context, of signin.Subject, which signin.Which, e audit.Entry) (ids []string, err error) {
	err = d.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if ids, err = endSignins(ctx, tx, of, which); err != nil || len(ids) == 0 {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
	return ids, err
}

func endSignins(ctx context.Context, tx bun.IDB, of signin.Subject, which signin.Which) ([]string, error) {
	q := tx.NewDelete().Model((*signinRow)(nil))
	switch {
	case of.UserID != "":
		q = q.Where("s.customer_id = ?", of.CustomerID).Where("s.user_id = ?", of.UserID)
	case of.StaffID != "":
		q = q.Where("s.staff_id = ?", of.StaffID)
	default:
		return nil, errors.New("end sign-ins of nobody")
	}
	if which.Only != "" {
		q = q.Where("s.id = ?", which.Only)
	}
	if which.But != "" {
		q = q.Where("s.id <> ?", which.But)
	}
	var ids []string
	if _, err := q.Returning("s.id").Exec(ctx, &ids); err != nil {
		return nil, fmt.Errorf("end sign-ins: %w", err)
	}
	return ids, nil
}

// List gives the live sign-ins of the person of that kind, the one used last first.
func (d *Signins) List(ctx context.Context, of signin.Subject, kind signin.Kind, now time.Time) ([]signin.Signin, error) {
	var rows []signinRow
	q := d.DB.NewSelect().Model(&rows).Where("s.kind = ?", kind).Where("s.expires_at > ?", now).Order("s.seen_at DESC", "s.id DESC")
	if of.StaffID != "" {
		q = q.Where("s.staff_id = ?", of.StaffID).Where("s.seen_at > ?", d.awake(now))
	} else {
		q = q.Where("s.customer_id = ?", of.CustomerID).Where("s.user_id = ?", of.UserID)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list sign-ins: %w", toFault(err))
	}
	return each(rows, signinRow.signin), nil
}

func (r signinRow) signin() signin.Signin {
	return signin.Signin{
		Subject: signin.Subject{CustomerID: r.CustomerID, UserID: r.UserID, StaffID: r.StaffID}, ID: r.ID, Kind: signin.Kind(r.Kind),
		CreatedAt: r.CreatedAt, SeenAt: r.SeenAt, FreshAt: r.FreshAt, ExpiresAt: r.ExpiresAt, Address: r.Address, Browser: r.Browser,
	}
}

// Alive returns those of ids that are live at now. It states in SQL what signin.Signin.Live states in Go; a test holds
// the two together.
func (d *Signins) Alive(ctx context.Context, ids []string, now time.Time) ([]string, error) {
	var alive []string
	if len(ids) == 0 {
		return nil, nil
	}
	err := d.DB.NewSelect().Model((*signinRow)(nil)).Column("s.id").Where("s.id IN (?)", bun.List(ids)).
		Where("s.expires_at > ?", now).Where("s.kind <> ? OR s.seen_at > ?", signin.Staff, d.awake(now)).Scan(ctx, &alive)
	if err != nil {
		return nil, fmt.Errorf("live sign-ins: %w", err)
	}
	return alive, nil
}

// awake is when one of our staff has done something at the latest who is still signed in at now.
func (d *Signins) awake(now time.Time) time.Time {
	return now.Add(-min(signin.StaffIdle, d.Idle.Or(signin.StaffIdle)))
}
