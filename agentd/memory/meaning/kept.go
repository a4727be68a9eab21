package meaning

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"gatehouse/agentd/memory/recall"
)

// settled is whose word is kept by a model; a provider that is not known when nothing is kept.
func (k *Keeper) settled(ctx context.Context, model string) (recall.Space, error) {
	in := recall.Space{Model: model}
	err := k.d.Store.Read().QueryRowContext(ctx, `SELECT provider, dims FROM memory_meanings WHERE model = ? LIMIT 1`, model).
		Scan(&in.Provider, &in.Dims)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return in, fmt.Errorf("look whose meanings are kept: %w", err)
	}
	return in, nil
}

// enter drops what is kept by a model that answers otherwise than it did: from another provider, or in vectors of another length.
func (k *Keeper) enter(ctx context.Context, was, now recall.Space) error {
	if was == now || was.Provider == "" {
		return nil
	}
	k.d.Log.InfoContext(ctx, "the model answers otherwise than before: what notes mean is asked anew",
		"model", now.Model, "provider", now.Provider, "dims", now.Dims)
	return k.d.Store.Write(ctx, func(tx *sql.Tx) error {
		_, err := k.d.Store.Exec(tx, `DELETE FROM memory_meanings WHERE model = ? AND (provider <> ? OR dims <> ?)`,
			now.Model, now.Provider, now.Dims)
		return err
	})
}

// kept are the notes of which it is kept what they mean, and those that the model is to be asked for.
func (k *Keeper) kept(ctx context.Context, in recall.Space, notes []recall.Unmeant) ([]recall.Meant, []recall.Unmeant, error) {
	means, err := k.byHash(ctx, in, notes)
	if err != nil {
		return nil, nil, err
	}
	var known []recall.Meant
	var lack []recall.Unmeant
	for _, n := range notes {
		hash := recall.Hash(n.Text)
		if m, ok := means[hash]; ok {
			known = append(known, recall.Meant{Row: n.Row, Hash: hash, Meaning: m})
		} else if !k.refused[hash] {
			lack = append(lack, n)
		}
	}
	return known, lack, nil
}

func (k *Keeper) byHash(ctx context.Context, in recall.Space, notes []recall.Unmeant) (map[[sha256.Size]byte]recall.Meaning, error) {
	if len(notes) == 0 || in.Provider == "" {
		return nil, nil
	}
	args := []any{in.Provider, in.Model, in.Dims}
	for _, n := range notes {
		hash := recall.Hash(n.Text)
		args = append(args, hash[:])
	}
	rows, err := k.d.Store.Read().QueryContext(ctx, `SELECT hash, data FROM memory_meanings
		WHERE provider = ? AND model = ? AND dims = ? AND hash IN (?`+strings.Repeat(", ?", len(notes)-1)+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("read kept meanings: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	means := map[[sha256.Size]byte]recall.Meaning{}
	for rows.Next() {
		var hash, data []byte
		if err := rows.Scan(&hash, &data); err != nil {
			return nil, fmt.Errorf("read kept meanings: %w", err)
		}
		if m, ok := recall.ReadMeaning(data); ok && len(hash) == sha256.Size {
			means[[sha256.Size]byte(hash)] = m
		}
	}
	return means, rows.Err()
}

// keep keeps what notes mean.
func (k *Keeper) keep(ctx context.Context, in recall.Space, all []recall.Meant) error {
	return k.d.Store.Write(ctx, func(tx *sql.Tx) error {
		for _, m := range all {
			_, err := k.d.Store.Exec(tx, `INSERT OR REPLACE INTO memory_meanings (provider, model, hash, dims, data)
				VALUES (?, ?, ?, ?, ?)`, in.Provider, in.Model, m.Hash[:], in.Dims, m.Meaning.Bytes())
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// tidy drops what is kept of notes that are gone, and of models that are not asked any more.
func (k *Keeper) tidy(ctx context.Context, model string) error {
	var kept int
	if err := k.d.Store.Read().QueryRowContext(ctx, `SELECT count(*) FROM memory_meanings`).Scan(&kept); err != nil {
		return fmt.Errorf("count kept meanings: %w", err)
	}
	live, err := k.d.Notes.Hashes(ctx)
	if err != nil || kept <= len(live) {
		return err
	}
	gone, err := k.gone(ctx, model, live)
	if err != nil {
		return err
	}
	return k.d.Store.Write(ctx, func(tx *sql.Tx) error {
		for _, hash := range gone {
			if _, err := k.d.Store.Exec(tx, `DELETE FROM memory_meanings WHERE model = ? AND hash = ?`, model, hash); err != nil {
				return err
			}
		}
		_, err := k.d.Store.Exec(tx, `DELETE FROM memory_meanings WHERE model <> ?`, model)
		return err
	})
}

// gone are the hashes of texts that no note has any more.
func (k *Keeper) gone(ctx context.Context, model string, live map[[sha256.Size]byte]bool) (all [][]byte, err error) {
	rows, err := k.d.Store.Read().QueryContext(ctx, `SELECT hash FROM memory_meanings WHERE model = ?`, model)
	if err != nil {
		return nil, fmt.Errorf("read kept meanings: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var hash []byte
		if err := rows.Scan(&hash); err != nil {
			return nil, fmt.Errorf("read kept meanings: %w", err)
		}
		if len(hash) != sha256.Size || !live[[sha256.Size]byte(hash)] {
			all = append(all, hash)
		}
	}
	return all, rows.Err()
}
