package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
	"gatehouse/app/team"
)

// Configs keeps the versions of teams' settings. It is team.Store.
type Configs struct{ DB *DB }

var _ team.Store = (*Configs)(nil)

// Business reads what the settings take from the customer's account.
func (s *Configs) Business(ctx context.Context, of account.CustomerID) (b team.Business, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, `SELECT c.name, c.time_zone,
			array(SELECT u.email FROM users u WHERE u.customer_id = c.id AND u.verified_at IS NOT NULL ORDER BY u.id)
		FROM customers c WHERE c.id = $1`, cached, string(of)).Scan(&b.Name, &b.TimeZone, &b.Inside)
	if err != nil {
		return team.Business{}, fmt.Errorf("load business: %w", toFault(err))
	}
	return b, nil
}

// State reads the newest version and what the server reported; Config.Version is 0 when nothing was set yet.
func (s *Configs) State(ctx context.Context, of account.CustomerID) (team.State, error) {
	return s.state(ctx, s.DB.pgx(ctx), of)
}

func (s *Configs) state(ctx context.Context, q querier, of account.CustomerID) (st team.State, err error) {
	var raw, running []byte
	var at *time.Time
	err = q.QueryRow(ctx, `SELECT s.id::text, coalesce(st.version, 0), coalesce(st.error, ''), st.reported_at,
			(SELECT c.config FROM configs c WHERE c.server_id = s.id ORDER BY c.version DESC LIMIT 1),
			(SELECT c.config FROM configs c WHERE c.server_id = s.id AND c.version = st.version)
		FROM servers s LEFT JOIN config_states st ON st.server_id = s.id
		WHERE s.customer_id = $1 AND s.revoked_at IS NULL`, cached, string(of)).
		Scan((*string)(&st.ServerID), &st.Applied, &st.Error, &at, &raw, &running)
	if err != nil {
		return team.State{}, fmt.Errorf("load settings: %w", toFault(err))
	}
	if at != nil {
		st.ReportedAt = *at
	}
	for text, to := range map[*[]byte]*wire.Config{&raw: &st.Config, &running: &st.Running} {
		if *text == nil {
			continue
		}
		if err := json.Unmarshal(*text, to); err != nil {
			return team.State{}, fmt.Errorf("load settings: %w", err)
		}
	}
	return st, nil
}

// Change locks the customer's settings, runs fn on them and keeps what it returns as a new version.
func (s *Configs) Change(ctx context.Context, of account.CustomerID, at time.Time, fn func(context.Context, team.State) (*wire.Config, error)) (st team.State, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := lockServer(ctx, tx.PGX, of); err != nil {
			return err
		}
		if st, err = s.state(ctx, tx.PGX, of); err != nil {
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
		_, err = tx.PGX.Exec(ctx, "INSERT INTO configs (server_id, version, config, created_at) VALUES ($1, $2, $3, $4)", cached,
			string(st.ServerID), next.Version, string(raw), at)
		st.Config = *next
		return toFault(err)
	})
	if err != nil {
		return team.State{}, err
	}
	return st, nil
}

// lockServer makes changes of one customer's settings wait for each other. It does not stand in the way of heartbeats
// for longer than the change takes.
func lockServer(ctx context.Context, tx pgx.Tx, of account.CustomerID) error {
	var id string
	err := tx.QueryRow(ctx, "SELECT id::text FROM servers WHERE customer_id = $1 AND revoked_at IS NULL FOR NO KEY UPDATE", cached, string(of)).Scan(&id)
	if err != nil {
		return fmt.Errorf("lock settings: %w", toFault(err))
	}
	return nil
}

// Report keeps what a server says about the version it runs. An error stays until a version is reported without one.
func (s *Configs) Report(ctx context.Context, id server.ID, c wire.ConfigState, at time.Time) error {
	tag, err := s.DB.pgx(ctx).Exec(ctx, `INSERT INTO config_states (server_id, version, error, reported_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (server_id) DO UPDATE SET version = excluded.version, error = excluded.error, reported_at = excluded.reported_at`, cached,
		string(id), c.Version, c.Error, at)
	if err != nil {
		return fmt.Errorf("store reported settings: %w", toFault(err))
	}
	if tag.RowsAffected() != 1 {
		return errors.New("store reported settings: nothing was stored")
	}
	return nil
}
