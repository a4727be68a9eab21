package vault

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Versions of one secret: so many can be made current again, and the rest are kept for redaction. What was in use lately
// is kept whatever the count, or whoever may make new values could make redaction forget one that still opens something:
// by the count go only values that were given up long ago. Nobody but the operator and an external vault come near to
// keepAtMost (Sparing holds back all others), and without it either could fill the machine.
const (
	keepVersions = 5
	keepRedacted = 20
	keepFormer   = 90 * 24 * time.Hour
	keepAtMost   = 2000
)

// snapshot is the whole vault as it stood at one version, checked against its root.
type snapshot struct {
	version int64
	keyID   string
	kdf     string
	key     Key
	rows    map[string]*row // by name
}

// row is one secret.
type row struct {
	id       string
	name     string
	meta     meta
	metaJSON []byte
	versions []sealedVersion // oldest first
	changed  bool
}

// meta is what stands in clear, covered by the root.
type meta struct {
	Kind        string                 `json:"kind"`
	Constraints wire.SecretConstraints `json:"constraints"`
	Bindings    []wire.SecretBinding   `json:"bindings"`
	Current     int                    `json:"current"` // 0: removed, kept for redaction
	Staged      int                    `json:"staged"`  // a rotation under way; 0: none
	CreatedAt   time.Time              `json:"created_at"`
	RotatedAt   time.Time              `json:"rotated_at"`
	ExpiresAt   time.Time              `json:"expires_at"`
	Origin      *origin                `json:"origin,omitempty"` // nil: the value lives here
	Versions    []versionMeta          `json:"versions"`
}

type versionMeta struct {
	N         int       `json:"n"`
	Source    string    `json:"source"`
	There     int       `json:"there,omitempty"`  // the version of the external vault that it was
	Filed     bool      `json:"filed,omitempty"`  // it came in a file of credentials
	Failed    bool      `json:"failed,omitempty"` // a rotation that was taken back
	CreatedAt time.Time `json:"created_at"`
	// FormerSince is when it was first seen to be neither current nor staged: not before it ceased to be, perhaps later.
	FormerSince time.Time `json:"former_since,omitzero"`
}

// sealedVersion is one value at rest.
type sealedVersion struct {
	n           int
	dek, sealed []byte
}

// queryer is what *sql.DB and *sql.Tx share.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (s *snapshot) sorted() []*row {
	all := make([]*row, 0, len(s.rows))
	for _, r := range s.rows {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *row) int { return strings.Compare(a.id, b.id) })
	return all
}

// state reads version, key and root; sql.ErrNoRows when there is no vault yet.
func state(ctx context.Context, q queryer) (s *snapshot, root []byte, err error) {
	s = &snapshot{rows: map[string]*row{}}
	err = q.QueryRowContext(ctx, "SELECT version, key_id, kdf, root FROM vault_state WHERE id = 1").Scan(&s.version, &s.keyID, &s.kdf, &root)
	return s, root, err
}

// load reads the vault and checks it. find gives the master key.
func load(ctx context.Context, q queryer, find func(id, kdf string) (Key, error)) (*snapshot, error) {
	s, root, err := state(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read vault: %w", err)
	}
	if s.key, err = find(s.keyID, s.kdf); err != nil {
		return nil, err
	}
	if err := s.read(ctx, q); err != nil {
		return nil, err
	}
	if !hmac.Equal(root, rootOf(s.key, s)) {
		return nil, ErrTampered
	}
	return s, s.check()
}

func (s *snapshot) read(ctx context.Context, q queryer) error {
	byID := map[string]*row{}
	err := each(ctx, q, "SELECT id, name, meta FROM vault_secrets", func(scan func(...any) error) error {
		r := &row{}
		if err := scan(&r.id, &r.name, &r.metaJSON); err != nil {
			return err
		}
		s.rows[r.name], byID[r.id] = r, r
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, q, "SELECT secret_id, n, dek, sealed FROM vault_versions ORDER BY secret_id, n", func(scan func(...any) error) error {
		var id string
		var v sealedVersion
		if err := scan(&id, &v.n, &v.dek, &v.sealed); err != nil {
			return err
		}
		if byID[id] == nil {
			return ErrTampered
		}
		byID[id].versions = append(byID[id].versions, v)
		return nil
	})
}

// check reads what stands in clear, once the root vouches for it.
func (s *snapshot) check() error {
	for _, r := range s.rows {
		if err := json.Unmarshal(r.metaJSON, &r.meta); err != nil || len(r.meta.Versions) != len(r.versions) {
			return ErrTampered
		}
	}
	return nil
}

// each runs a query and hands every row to fn.
func each(ctx context.Context, q queryer, query string, fn func(scan func(...any) error) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("read vault: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return fmt.Errorf("read vault: %w", err)
		}
	}
	return rows.Err()
}

// find gives a secret that was not removed. One that comes from the external vault may have no value yet.
func (s *snapshot) find(name string) (*row, error) {
	r := s.rows[name]
	if r == nil || r.meta.Current == 0 && r.meta.Origin == nil {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, name)
	}
	return r, nil
}

// value opens one version.
func (s *snapshot) value(r *row, n int) (secret.Value, error) {
	for _, v := range r.versions {
		if v.n != n {
			continue
		}
		dek, err := open(s.key.bytes(), v.dek, wrapData(r.id, r.name, n, s.keyID))
		if err != nil {
			return secret.Value{}, fmt.Errorf("%s version %d: %w", r.name, n, err)
		}
		plain, err := open(dek, v.sealed, valueData(r.id, r.name, n))
		if err != nil {
			return secret.Value{}, fmt.Errorf("%s version %d: %w", r.name, n, err)
		}
		return secret.New(string(plain)), nil
	}
	return secret.Value{}, fmt.Errorf("%w: %s has no version %d", ErrUnknown, r.name, n)
}

// add seals a value as the next version of r, and drops what is too old to be kept. It does not make it current.
func (s *snapshot) add(r *row, v secret.Value, source string, now time.Time) (int, error) {
	n := 1
	if len(r.versions) > 0 {
		n = r.versions[len(r.versions)-1].n + 1
	}
	dek := random(32)
	sealed, err := seal(dek, []byte(v.Reveal()), valueData(r.id, r.name, n))
	if err != nil {
		return 0, err
	}
	wrapped, err := seal(s.key.bytes(), dek, wrapData(r.id, r.name, n, s.keyID))
	if err != nil {
		return 0, err
	}
	r.versions = append(r.versions, sealedVersion{n, wrapped, sealed})
	r.meta.Versions = append(r.meta.Versions, versionMeta{N: n, Source: source, CreatedAt: now})
	r.trim(now)
	r.changed = true
	return n, nil
}

// trim lets go of versions beyond what is kept; never of the current one, a staged one or the newest. A clock that is set
// back makes them stay longer.
func (r *row) trim(now time.Time) {
	newest := r.versions[len(r.versions)-1].n
	inUse := func(n int) bool { return n == r.meta.Current || n == r.meta.Staged || n == newest }
	for i := range r.meta.Versions {
		if m := &r.meta.Versions[i]; !inUse(m.N) && m.FormerSince.IsZero() {
			m.FormerSince = now
		}
	}
	for i := 0; len(r.versions) > keepRedacted && i < len(r.versions); {
		m := r.meta.Versions[i]
		if inUse(m.N) || len(r.versions) <= keepAtMost && now.Sub(m.FormerSince) < keepFormer {
			i++
			continue
		}
		r.versions = slices.Delete(r.versions, i, i+1)
		r.meta.Versions = slices.Delete(r.meta.Versions, i, i+1)
	}
}

// offered are the versions that can be made current again or are: the newest five.
func (r *row) offered() []versionMeta {
	all := r.meta.Versions
	return all[max(0, len(all)-keepVersions):]
}
