package approver

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Outbox takes frames for the hub in the transaction that makes them true.
type Outbox interface {
	Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error
}

// Deps is what Keys stand on.
type Deps struct {
	DB       *store.DB
	Receipts *receipt.Log
	Outbox   Outbox
	Dir      string                          // state directory, where codes lie
	ServerID func() string                   // part of every signed text; empty until registered
	Identity func() ed25519.PrivateKey       // signs what cards say; nil until registered
	Origin   func() string                   // the hub's origin, which passkeys are bound to
	Version  func(tx *sql.Tx) (int64, error) // version of the configuration in force
	Now      func() time.Time
	Log      *slog.Logger
}

// Keys are the approver keys of this server.
type Keys struct {
	d     Deps
	codes codeCache
}

// New gives the keys in d.DB.
func New(d Deps) *Keys { return &Keys{d: d} }

// key is an enrolled key, ready to check with.
type key struct {
	wire.ApproverKey
	public crypto.PublicKey // *ecdsa.PublicKey; of a passkey also *rsa.PublicKey
}

const columns = "key_id, spki, kind, holder, label, credential, added_by, created_at"

// scanKey reads a row of columns.
func scanKey(row interface{ Scan(...any) error }) (wire.ApproverKey, error) {
	var k wire.ApproverKey
	var micros int64
	err := row.Scan(&k.KeyID, &k.SPKI, &k.Kind, &k.Holder, &k.Label, &k.Credential, &k.AddedBy, &micros)
	k.CreatedAt = time.UnixMicro(micros).UTC()
	return k, err
}

// find reads a key that may still allow; nil when there is none of that name.
func find(ctx context.Context, tx *sql.Tx, id string) (*key, error) {
	k, err := scanKey(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM approver_keys WHERE key_id = ? AND revoked_at IS NULL", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read approver key: %w", err)
	}
	public, err := wire.ParseApproverKey(k.Kind, k.SPKI)
	if err != nil || k.KeyID != wire.ApproverKeyIDOf(k.SPKI) {
		return nil, fmt.Errorf("%w: approver key %s", store.ErrCorrupt, id)
	}
	return &key{k, public}, nil
}

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// List reads the keys that may allow, oldest first.
func List(ctx context.Context, q queryer) ([]wire.ApproverKey, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+columns+" FROM approver_keys WHERE revoked_at IS NULL ORDER BY created_at, key_id")
	if err != nil {
		return nil, fmt.Errorf("read approver keys: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	all := []wire.ApproverKey{}
	for rows.Next() {
		k, err := scanKey(rows)
		if err != nil {
			return nil, fmt.Errorf("read approver keys: %w", err)
		}
		all = append(all, k)
	}
	return all, rows.Err()
}

// Counts says whether a key is enrolled and was not revoked, as tx sees it; without one, as it was last committed.
func (k *Keys) Counts(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	const query = "SELECT count(*) FROM approver_keys WHERE key_id = ? AND revoked_at IS NULL"
	var n int
	row := (*sql.Row)(nil)
	if tx != nil {
		row = k.d.DB.QueryRow(tx, query, id)
	} else {
		row = k.d.DB.Read().QueryRowContext(ctx, query, id)
	}
	if err := row.Scan(&n); err != nil {
		return false, fmt.Errorf("read approver key: %w", err)
	}
	return n > 0, nil
}

// Revoked says whether a key was enrolled once and was taken back.
func (k *Keys) Revoked(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	var n int
	const query = "SELECT count(*) FROM approver_keys WHERE key_id = ? AND revoked_at IS NOT NULL"
	if err := tx.QueryRowContext(ctx, query, id).Scan(&n); err != nil {
		return false, fmt.Errorf("read approver key: %w", err)
	}
	return n > 0, nil
}

// Trust takes a key. It asks nobody: the caller has checked that the key may be taken.
func (k *Keys) Trust(ctx context.Context, tx *sql.Tx, a wire.ApproverKey) error {
	if _, err := wire.ParseApproverKey(a.Kind, a.SPKI); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO approver_keys ("+columns+") VALUES (?,?,?,?,?,?,?,?)",
		wire.ApproverKeyIDOf(a.SPKI), a.SPKI, string(a.Kind), string(a.Holder), a.Label, a.Credential, a.AddedBy, a.CreatedAt.UnixMicro())
	if err != nil {
		return fmt.Errorf("keep approver key: %w", err)
	}
	return nil
}
