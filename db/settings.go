package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/setting"
)

// Settings keeps what our staff changed about how the hub works. It is setting.Store.
type Settings struct{ DB *DB }

var _ setting.Store = (*Settings)(nil)

// settingRow mirrors table setting_changes.
type settingRow struct {
	bun.BaseModel `bun:"table:setting_changes,alias:sc"`
	ID            string    `bun:"id,pk"`
	Key           string    `bun:"key"`
	Value         string    `bun:"value,nullzero"`
	Was           string    `bun:"was"`
	Reason        string    `bun:"reason"`
	At            time.Time `bun:"at"`
	ByID          string    `bun:"by_id"`
	ByName        string    `bun:"by_name"`
}

func (r settingRow) change() setting.Change {
	return setting.Change{
		ID: r.ID, Key: setting.Key(r.Key), Value: r.Value, Was: r.Was, Reason: r.Reason, At: r.At, By: r.ByName, ByID: r.ByID,
	}
}

// Values gives the values that are not as they come.
func (s *Settings) Values(ctx context.Context) (map[setting.Key]string, error) {
	var rows []settingRow
	err := s.DB.NewSelect().Model(&rows).DistinctOn("sc.key").Column("key", "value").OrderExpr("sc.key, sc.id DESC").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", toFault(err))
	}
	values := map[setting.Key]string{}
	for _, r := range rows {
		if r.Value != "" {
			values[setting.Key(r.Key)] = r.Value
		}
	}
	return values, nil
}

// Set keeps a change and its record. Two at once meet at the lock: the second sees what the first has done.
func (s *Settings) Set(ctx context.Context, c *setting.Change, e *audit.Entry, may func(was string) error) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('setting ' || ?))", string(c.Key)); err != nil {
			return fmt.Errorf("lock setting: %w", toFault(err))
		}
		var was []string
		err := tx.NewSelect().Model((*settingRow)(nil)).ColumnExpr("coalesce(sc.value, '')").Where("sc.key = ?", c.Key).
			OrderExpr("sc.id DESC").Limit(1).Scan(ctx, &was)
		if err != nil {
			return fmt.Errorf("read setting: %w", toFault(err))
		}
		if err := may(append(was, "")[0]); err != nil {
			return err
		}
		row := &settingRow{
			ID: c.ID, Key: string(c.Key), Value: c.Value, Was: c.Was, Reason: c.Reason, At: c.At, ByID: c.ByID, ByName: c.By,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("keep setting: %w", toFault(err))
		}
		return writeAudit(ctx, tx, *e)
	})
}

// History lists the newest changes of a setting.
func (s *Settings) History(ctx context.Context, k setting.Key, limit int) ([]setting.Change, error) {
	var rows []settingRow
	err := s.DB.NewSelect().Model(&rows).Where("sc.key = ?", k).OrderExpr("sc.id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list changes of a setting: %w", toFault(err))
	}
	return each(rows, settingRow.change), nil
}
