package vault

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Vault keeps the secrets of one server. Several processes may have the same vault open: each notices what the others
// changed before it gives out a value.
type Vault struct {
	db   *store.DB
	keys Keys
	now  func() time.Time

	mu          sync.Mutex // held while the vault is read anew and subscribers are told
	at          atomic.Pointer[snapshot]
	subscribers []func([]redact.Known)

	longest atomic.Int64 // nanoseconds that a value from the external vault is used unseen; 0: none is
	waiting waiting

	turns       turns
	patience    *patience
	settleAfter time.Duration // as the constant says; shorter in tests
}

// turns are one per secret that was ever rotated here: who is in it asks the service, or has it changed.
type turns struct {
	mu sync.Mutex
	of map[string]chan struct{}
}

// Open opens the vault of a state directory, or makes it. Errors for which store.Hard is true, and ErrKey, need a person.
func Open(ctx context.Context, db *store.DB, keys Keys, now func() time.Time) (*Vault, error) {
	v := &Vault{db: db, keys: keys, now: now, patience: newPatience(), settleAfter: settleAfter}
	if err := v.make(ctx); err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	if err := v.refresh(ctx); err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	return v, nil
}

// make writes an empty vault when there is none.
func (v *Vault) make(ctx context.Context) error {
	_, _, err := state(ctx, v.db.Read())
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	release, err := v.keys.alone(0)
	if err != nil {
		return err
	}
	defer release()
	key, kdfText, err := v.keys.first()
	if err != nil {
		return err
	}
	return v.db.Write(ctx, func(tx *sql.Tx) error {
		switch _, _, err := state(ctx, tx); {
		case err == nil:
			return nil // another process was faster
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		s := &snapshot{keyID: key.id, kdf: kdfText, key: key, rows: map[string]*row{}}
		if err := s.read(ctx, tx); err != nil {
			return err
		}
		if len(s.rows) > 0 {
			return ErrTampered // secrets without a state were not left by a vault
		}
		return s.save(ctx, tx)
	})
}

// find gives the master key; usually it is the one at hand.
func (v *Vault) find(id, kdfText string) (Key, error) {
	if s := v.at.Load(); s != nil && s.keyID == id {
		return s.key, nil
	}
	return v.keys.find(id, kdfText)
}

// refresh reads the vault anew when it has changed, and tells subscribers before it returns.
func (v *Vault) refresh(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var now int64
	if err := v.db.Read().QueryRowContext(ctx, "SELECT version FROM vault_state WHERE id = 1").Scan(&now); err != nil {
		return fmt.Errorf("read vault: %w", err)
	}
	if s := v.at.Load(); s != nil && s.version == now {
		return nil
	}
	s, err := v.read(ctx)
	if err != nil {
		return err
	}
	known, err := s.known()
	if err != nil {
		return err
	}
	for _, fn := range v.subscribers {
		fn(known)
	}
	v.at.Store(s)
	return nil
}

// read loads the vault in one transaction, so that rows and root are of the same moment.
func (v *Vault) read(ctx context.Context) (*snapshot, error) {
	tx, err := v.db.Read().Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("read vault: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // it only read
	s, err := load(ctx, tx, v.find)
	if err != nil {
		return nil, err
	}
	if was := v.at.Load(); was != nil && s.version < was.version {
		return nil, ErrTampered // nothing of ours goes back
	}
	return s, nil
}

// entry is one line of the audit.
type entry struct {
	name    string
	version int
	act     string
	by      string
	purpose string
}

// Also is what a caller writes in the transaction of an act, such as its receipt: both are kept, or neither.
type Also func(tx *sql.Tx) error

// change is one act on the vault: fn changes the snapshot, and what it returns goes on the audit. All or nothing;
// when change returns, redaction knows.
func (v *Vault) change(ctx context.Context, fn func(s *snapshot, now time.Time) ([]entry, error), also ...Also) error {
	now := v.now().UTC().Truncate(time.Microsecond)
	err := v.db.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take others with it
		s, err := load(ctx, tx, v.find)
		if err != nil {
			return err
		}
		notes, err := fn(s, now)
		if err != nil || notes == nil {
			return err
		}
		if err := s.save(ctx, tx); err != nil {
			return err
		}
		for _, more := range also {
			if err := more(tx); err != nil {
				return err
			}
		}
		return v.note(ctx, tx, now, notes...)
	})
	if err != nil {
		return err
	}
	if err := v.refresh(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	v.waiting.wake()
	return nil
}

// newRow makes a secret without versions.
func newRow(name, kind string, now time.Time) (*row, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("secret id: %w", err)
	}
	return &row{id: id.String(), name: name, changed: true, meta: meta{Kind: kind, Bindings: []wire.SecretBinding{}, CreatedAt: now}}, nil
}

// known are all values of all versions, for redaction.
func (s *snapshot) known() ([]redact.Known, error) {
	var all []redact.Known
	for _, r := range s.sorted() {
		for _, ver := range r.versions {
			val, err := s.value(r, ver.n)
			if err != nil {
				return nil, err
			}
			all = append(all, redact.Known{Name: r.name, Value: val.Reveal()})
		}
	}
	return all, nil
}

// Known gives every value that must never leave, former ones included. It is for the redactor alone.
func (v *Vault) Known(ctx context.Context) ([]redact.Known, error) {
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	return v.at.Load().known()
}

// Subscribe calls fn with all values now, and again whenever they change, before the act that changed them returns.
func (v *Vault) Subscribe(fn func([]redact.Known)) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, err := v.at.Load().known()
	if err != nil {
		return err
	}
	v.subscribers = append(v.subscribers, fn)
	fn(known)
	return nil
}

// current gives the snapshot as it stands, and one of its secrets.
func (v *Vault) current(ctx context.Context, name string) (*snapshot, *row, error) {
	if err := v.refresh(ctx); err != nil {
		return nil, nil, err
	}
	s := v.at.Load()
	r, err := s.find(name)
	return s, r, err
}

// reveal opens the current version, unnoted: whoever calls it has noted the access.
func (v *Vault) reveal(ctx context.Context, name string) (secret.Value, int, error) {
	s, r, err := v.current(ctx, name)
	if err == nil {
		err = v.usable(r)
	}
	if err != nil {
		return secret.Value{}, 0, err
	}
	val, err := s.value(r, r.meta.Current)
	return val, r.meta.Current, err
}
