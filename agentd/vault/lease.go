package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/vault/secret"
)

// leaseFor is how long a call may use what was leased to it. The gate ends it with the call.
const leaseFor = 5 * time.Minute

// maxUses bounds what one call may use.
const maxUses = 16

// Check implements gate.Leases.
func (v *Vault) Check(ctx context.Context, uses []gate.Use) error {
	if err := v.refresh(ctx); err != nil {
		return err
	}
	_, err := v.bound(v.at.Load(), uses, v.now())
	return err
}

// bound finds the secret of each use, or answers gate.ErrUnbound. That a secret cannot be used now is said only of one
// that is bound there.
func (v *Vault) bound(s *snapshot, uses []gate.Use, now time.Time) ([]*row, error) {
	if len(uses) > maxUses {
		return nil, gate.ErrUnbound
	}
	rows := make([]*row, 0, len(uses))
	for _, u := range uses {
		r, err := s.find(u.Name)
		if err != nil || !r.allows(u) || !r.meta.ExpiresAt.IsZero() && !now.Before(r.meta.ExpiresAt) {
			return nil, gate.ErrUnbound
		}
		if err := v.usable(r); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Grant implements gate.Leases.
func (v *Vault) Grant(ctx context.Context, tx *sql.Tx, c gate.Call, uses []gate.Use) ([]gate.Lease, error) {
	s, err := v.inTx(ctx, tx)
	if err != nil {
		return nil, err
	}
	now := v.now().UTC()
	rows, err := v.bound(s, uses, now)
	if err != nil {
		return nil, err
	}
	leases := make([]gate.Lease, 0, len(uses))
	for i, u := range uses {
		l, err := v.grant(ctx, tx, c, u, rows[i], now)
		if err != nil {
			return nil, err
		}
		leases = append(leases, l)
	}
	return leases, nil
}

// inTx is the vault as this transaction sees it.
func (v *Vault) inTx(ctx context.Context, tx *sql.Tx) (*snapshot, error) {
	s, _, err := state(ctx, tx)
	if err != nil {
		return nil, fmt.Errorf("read vault: %w", err)
	}
	if at := v.at.Load(); at.version == s.version {
		return at, nil
	}
	return load(ctx, tx, v.find)
}

// grant records one lease. The version of a former life of the call stays, as long as it is there.
func (v *Vault) grant(ctx context.Context, tx *sql.Tx, c gate.Call, u gate.Use, r *row, now time.Time) (gate.Lease, error) {
	place, err := json.Marshal(u)
	if err != nil {
		return gate.Lease{}, fmt.Errorf("lease: %w", err)
	}
	version := r.meta.Current
	err = tx.QueryRowContext(ctx, "SELECT version FROM vault_leases WHERE call_id = ? AND name = ? AND place = ?", c.ID, u.Name, string(place)).Scan(&version)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return gate.Lease{}, fmt.Errorf("lease: %w", err)
	}
	l := gate.Lease{Use: u, Version: version, ExpiresAt: now.Add(leaseFor).Truncate(time.Second)}
	_, err = tx.ExecContext(ctx, `INSERT INTO vault_leases (call_id, name, place, version, run_id, agent, expires_at) VALUES (?,?,?,?,?,?,?)
		ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at`, c.ID, u.Name, string(place), version, c.RunID, c.Agent, l.ExpiresAt.UnixMicro())
	if err != nil {
		return gate.Lease{}, fmt.Errorf("lease: %w", err)
	}
	return l, v.note(ctx, tx, now, entry{u.Name, version, actLease, c.Agent, u.Destination() + ", call " + c.ID})
}

// Value implements gate.Leases. The use is on record before the value is given out.
func (v *Vault) Value(ctx context.Context, callID string, l gate.Lease) (secret.Value, error) {
	s, r, err := v.current(ctx, l.Name)
	if err != nil || !r.allows(l.Use) {
		return secret.Value{}, gate.ErrLease
	}
	if err := v.usable(r); err != nil {
		return secret.Value{}, err
	}
	place, err := json.Marshal(l.Use)
	if err != nil {
		return secret.Value{}, fmt.Errorf("lease: %w", err)
	}
	err = v.db.Write(ctx, func(tx *sql.Tx) error { return v.use(context.WithoutCancel(ctx), tx, callID, l, string(place)) })
	if err != nil {
		return secret.Value{}, err
	}
	return s.value(r, l.Version)
}

// use notes that a lease is used, if it is one and still runs.
func (v *Vault) use(ctx context.Context, tx *sql.Tx, callID string, l gate.Lease, place string) error {
	var agent string
	var until int64
	err := tx.QueryRowContext(ctx, "SELECT agent, expires_at FROM vault_leases WHERE call_id = ? AND name = ? AND place = ? AND version = ?",
		callID, l.Name, place, l.Version).Scan(&agent, &until)
	now := v.now().UTC()
	if errors.Is(err, sql.ErrNoRows) || err == nil && now.UnixMicro() >= until {
		return gate.ErrLease
	}
	if err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return v.note(ctx, tx, now, entry{l.Name, l.Version, actUse, agent, l.Destination() + ", call " + callID})
}
