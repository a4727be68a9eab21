package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
	"gatehouse/app/team"
)

// Configs keeps the versions of teams' settings. It is team.Store.
type Configs struct{ DB *DB }

var _ team.Store = (*Configs)(nil)

// configRow mirrors table configs.
type configRow struct {
	bun.BaseModel `bun:"table:configs,alias:cf"`
	ServerID      string    `bun:"server_id,pk"`
	Version       int64     `bun:"version,pk"`
	Config        string    `bun:"config"` // JSON
	CreatedAt     time.Time `bun:"created_at"`
}

// configStateRow mirrors table config_states.
type configStateRow struct {
	bun.BaseModel `bun:"table:config_states,alias:st"`
	ServerID      string    `bun:"server_id,pk"`
	Version       int64     `bun:"version"`
	Error         string    `bun:"error"`
	ReportedAt    time.Time `bun:"reported_at"`
}

// Business reads what the settings take from the customer's account.
func (s *Configs) Business(ctx context.Context, of account.CustomerID) (team.Business, error) {
	var row struct {
		Name     string   `bun:"name"`
		TimeZone string   `bun:"time_zone"`
		Inside   []string `bun:"inside,array"`
	}
	db := s.DB.bun(ctx)
	inside := db.NewSelect().Model((*userRow)(nil)).Column("u.email").Where("u.customer_id = c.id").
		Where("u.verified_at IS NOT NULL").Order("u.id")
	err := db.NewSelect().Model((*customerRow)(nil)).Column("c.name", "c.time_zone").ColumnExpr("array(?) AS inside", inside).
		Where("c.id = ?", of).Scan(ctx, &row)
	if err != nil {
		return team.Business{}, fmt.Errorf("load business: %w", toFault(err))
	}
	return team.Business{Name: row.Name, TimeZone: row.TimeZone, Inside: row.Inside}, nil
}

// State reads the newest version and what the server reported; Config.Version is 0 when nothing was set yet.
func (s *Configs) State(ctx context.Context, of account.CustomerID) (team.State, error) {
	var row struct {
		configStateRow `bun:",extend"`
		Newest         string `bun:"newest"`
		Running        string `bun:"running"`
	}
	db := s.DB.bun(ctx)
	config := func() *bun.SelectQuery {
		return db.NewSelect().Model((*configRow)(nil)).Column("cf.config").Where("cf.server_id = s.id")
	}
	err := db.NewSelect().TableExpr("servers AS s").Join("LEFT JOIN config_states AS st ON st.server_id = s.id").
		ColumnExpr("s.id AS server_id").ColumnExpr("coalesce(st.version, 0) AS version").
		ColumnExpr("coalesce(st.error, '') AS error").ColumnExpr("st.reported_at").
		ColumnExpr("(?) AS newest", config().Order("cf.version DESC").Limit(1)).
		ColumnExpr("(?) AS running", config().Where("cf.version = st.version")).
		Where("s.customer_id = ?", of).Where("s.revoked_at IS NULL").Where("NOT s.next").Scan(ctx, &row)
	if err != nil {
		return team.State{}, fmt.Errorf("load settings: %w", toFault(err))
	}
	st := team.State{ServerID: server.ID(row.ServerID), Applied: row.Version, Error: row.Error, ReportedAt: row.ReportedAt}
	for text, to := range map[*string]*wire.Config{&row.Newest: &st.Config, &row.Running: &st.Running} {
		if *text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(*text), to); err != nil {
			return team.State{}, fmt.Errorf("load settings: %w", err)
		}
	}
	return st, nil
}

// Change locks the customer's settings, runs fn on them and keeps what it returns as a new version.
func (s *Configs) Change(
	ctx context.Context, of account.CustomerID, at time.Time, fn func(context.Context, team.State) (*wire.Config, error),
) (st team.State, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := lockServer(ctx, tx, of); err != nil {
			return err
		}
		if st, err = s.State(ctx, of); err != nil {
			return err
		}
		next, err := fn(ctx, st)
		if err != nil || next == nil {
			return err
		}
		raw, err := json.Marshal(next)
		if err != nil {
			return fmt.Errorf("store settings: %w", err)
		}
		row := &configRow{ServerID: string(st.ServerID), Version: next.Version, Config: string(raw), CreatedAt: at}
		st.Config = *next
		_, err = tx.NewInsert().Model(row).Exec(ctx)
		return toFault(err)
	})
	if err != nil {
		return team.State{}, err
	}
	return st, nil
}

// lockServer makes changes of one customer's settings wait for each other. It does not stand in the way of heartbeats
// for longer than the change takes.
func lockServer(ctx context.Context, tx Tx, of account.CustomerID) error {
	var id string
	err := tx.NewSelect().
		Model((*serverRow)(nil)).
		Column("s.id").
		Where("s.customer_id = ?", of).
		Where("s.revoked_at IS NULL").
		Where("NOT s.next").
		For("NO KEY UPDATE").
		Scan(ctx, &id)
	if err != nil {
		return fmt.Errorf("lock settings: %w", toFault(err))
	}
	return nil
}

// Report keeps what a server says about the version it runs. An error stays until a version is reported without one.
func (s *Configs) Report(ctx context.Context, id server.ID, c wire.ConfigState, at time.Time) error {
	row := &configStateRow{ServerID: string(id), Version: c.Version, Error: c.Error, ReportedAt: at}
	_, err := s.DB.bun(ctx).NewInsert().Model(row).On("CONFLICT (server_id) DO UPDATE").
		Set("version = EXCLUDED.version").Set("error = EXCLUDED.error").Set("reported_at = EXCLUDED.reported_at").Exec(ctx)
	if err != nil {
		return fmt.Errorf("store reported settings: %w", toFault(err))
	}
	return nil
}
