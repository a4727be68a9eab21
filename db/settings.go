package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/setting"
)

// Settings keeps what our staff changed about how the hub works. It is setting.Store.
type Settings struct {
	DB   *DB
	Keys *Keyring // closes the values of secret ones
}

var _ setting.Store = (*Settings)(nil)

// settingRow mirrors table setting_changes.
type settingRow struct {
	bun.BaseModel `bun:"table:setting_changes,alias:sc"`
	ID            string    `bun:"id,pk"`
	Key           string    `bun:"key"`
	Value         *string   `bun:"value"`
	Sealed        []byte    `bun:"sealed"`
	Was           string    `bun:"was"`
	Now           string    `bun:"now,nullzero"`
	Reason        string    `bun:"reason"`
	At            time.Time `bun:"at"`
	ByID          string    `bun:"by_id"`
	ByName        string    `bun:"by_name"`
}

func (r settingRow) change() setting.Change {
	c := setting.Change{
		ID: r.ID, Key: setting.Key(r.Key), Kept: r.Value != nil || r.Sealed != nil, Sealed: r.Sealed != nil, Was: r.Was, Now: r.Now,
		Reason: r.Reason, At: r.At, By: r.ByName, ByID: r.ByID,
	}
	if r.Value != nil {
		c.Value = *r.Value
		c.Now = cmp.Or(c.Now, c.Value)
	}
	return c
}

// value is what the row keeps, opened; ok is false when the setting is as it comes.
func (s *Settings) value(r settingRow) (value string, ok bool, err error) {
	switch {
	case r.Value != nil:
		return *r.Value, true, nil
	case r.Sealed == nil:
		return "", false, nil
	}
	plain, err := s.Keys.Open("setting_changes", r.ID, "sealed", r.Sealed)
	return string(plain), err == nil, err
}

// Values gives the values that are not as they come. A sealed one that does not open is left out, and named in the error.
func (s *Settings) Values(ctx context.Context) (setting.Values, error) {
	return s.values(ctx, s.DB.NewSelect())
}

func (s *Settings) values(ctx context.Context, q *bun.SelectQuery) (setting.Values, error) {
	var rows []settingRow
	err := q.Model(&rows).DistinctOn("sc.key").Column("id", "key", "value", "sealed").OrderExpr("sc.key, sc.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", toFault(err))
	}
	values := setting.Values{}
	var errs []error
	for _, r := range rows {
		value, ok, err := s.value(r)
		if err != nil {
			errs = append(errs, fmt.Errorf("setting %s: %w", r.Key, err))
		}
		if ok {
			values[setting.Key(r.Key)] = value
		}
	}
	return values, errors.Join(errs...)
}

// Set keeps a change and its record. Two at once meet at the lock: the second sees what the first has done.
func (s *Settings) Set(ctx context.Context, c *setting.Change, e *audit.Entry, fit func(setting.Values, setting.Before) error) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('settings'))"); err != nil {
			return fmt.Errorf("lock settings: %w", toFault(err))
		}
		kept, err := s.values(ctx, tx.NewSelect())
		if kept == nil {
			return err
		}
		before := func() (string, bool, error) { return s.before(ctx, tx, c.Key) }
		if err := fit(kept, before); err != nil {
			return err
		}
		row := &settingRow{
			ID: c.ID, Key: string(c.Key), Was: c.Was, Now: c.Now, Reason: c.Reason, At: c.At, ByID: c.ByID, ByName: c.By,
		}
		switch {
		case c.Kept && c.Sealed:
			row.Sealed = s.Keys.Seal("setting_changes", c.ID, "sealed", []byte(c.Value))
		case c.Kept:
			row.Value = &c.Value
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("keep setting: %w", toFault(err))
		}
		return writeAudit(ctx, tx, *e)
	})
}

// before is what a setting was kept as before its last change; false: as it comes.
func (s *Settings) before(ctx context.Context, tx Tx, k setting.Key) (value string, kept bool, err error) {
	var rows []settingRow
	err = tx.NewSelect().Model(&rows).Where("sc.key = ?", k).OrderExpr("sc.id DESC").Limit(2).Scan(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read setting: %w", toFault(err))
	}
	if len(rows) < 2 {
		return "", false, nil
	}
	if value, kept, err = s.value(rows[1]); err != nil {
		return "", false, fmt.Errorf("setting %s: %w", k, err)
	}
	return value, kept, nil
}

// History lists the newest changes of a setting, or so many of each.
func (s *Settings) History(ctx context.Context, k setting.Key, limit int) ([]setting.Change, error) {
	var rows []settingRow
	q := s.DB.NewSelect().Model(&rows)
	if k != "" {
		q = q.Where("sc.key = ?", k).OrderExpr("sc.id DESC").Limit(int64(limit))
	} else {
		q = q.Where("sc.id IN (SELECT n.id FROM (SELECT DISTINCT key FROM setting_changes) AS k CROSS JOIN LATERAL "+
			"(SELECT id FROM setting_changes AS c WHERE c.key = k.key ORDER BY c.id DESC LIMIT ?) AS n)", limit).OrderExpr("sc.id DESC")
	}
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("list changes of settings: %w", toFault(err))
	}
	return each(rows, settingRow.change), nil
}
