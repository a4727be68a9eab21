package recall

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
)

// Hash is what a text is known by where its meaning is kept.
func Hash(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }

// Meant is a text of an index with what it means.
type Meant struct {
	Row     int64
	Hash    [sha256.Size]byte // of the text
	Meaning Meaning
}

// Unmeant is a text of which the index does not know what it means.
type Unmeant struct {
	Row   int64
	Group string
	Text  string
}

// Unmeant are texts of which the index does not know what they mean, in a fixed order behind a row; those behind row 0 are all.
func (x *Index) Unmeant(ctx context.Context, behind int64, limit int) ([]Unmeant, error) {
	rows, err := x.read.QueryContext(ctx, `SELECT id, grp, text FROM texts
		WHERE id > ? AND NOT EXISTS (SELECT 1 FROM meanings WHERE meanings.id = texts.id) ORDER BY id LIMIT ?`, behind, limit)
	if err != nil {
		return nil, fmt.Errorf("look for texts without a meaning: %w", err)
	}
	defer rows.Close()
	var all []Unmeant
	for rows.Next() {
		var u Unmeant
		if err := rows.Scan(&u.Row, &u.Group, &u.Text); err != nil {
			return nil, fmt.Errorf("look for texts without a meaning: %w", err)
		}
		all = append(all, u)
	}
	return all, rows.Err()
}

// Mean keeps what texts mean by the word of a space. Texts that have changed meanwhile are left out. Meanings of another space go.
func (x *Index) Mean(ctx context.Context, in Space, all []Meant) error {
	return x.change(ctx, func(w *writer) error {
		if err := w.enter(in); err != nil {
			return err
		}
		for _, m := range all {
			var text string
			st, err := w.statement(`SELECT text FROM texts WHERE id = ?`)
			if err != nil {
				return err
			}
			err = st.QueryRowContext(ctx, m.Row).Scan(&text)
			if errors.Is(err, sql.ErrNoRows) || err == nil && Hash(text) != m.Hash {
				continue
			}
			if err != nil {
				return fmt.Errorf("keep a meaning: %w", err)
			}
			err = w.exec(`INSERT OR REPLACE INTO meanings (id, hash, data) VALUES (?, ?, ?)`, m.Row, m.Hash[:], m.Meaning.Bytes())
			if err != nil {
				return err
			}
			e := w.block(m.Row).of(m.Row)
			e.meant, e.upward = true, m.Meaning.upward()
		}
		return w.flush()
	})
}

// Forget drops all meanings.
func (x *Index) Forget(ctx context.Context) error {
	return x.change(ctx, func(w *writer) error { return errors.Join(w.enter(Space{}), w.flush()) })
}

// enter makes a space the one that all meanings are of. Those of another one go.
func (w *writer) enter(in Space) error {
	if w.space == in {
		return nil
	}
	w.space = in
	for at, b := range w.shelf.blocks {
		for i := range b {
			if b[i].meant {
				e := w.block(at*perBlock + int64(i)).of(int64(i))
				e.meant, e.upward = false, plane{}
			}
		}
	}
	if err := errors.Join(w.exec(`DELETE FROM meanings`), w.exec(`DELETE FROM space`)); err != nil || in == (Space{}) {
		return err
	}
	return w.exec(`INSERT INTO space (id, provider, model, dims) VALUES (1, ?, ?, ?)`, in.Provider, in.Model, in.Dims)
}

// space is whose word the meanings are by; none when there are none.
func (x *Index) space(ctx context.Context) (s Space, err error) {
	err = x.read.QueryRowContext(ctx, `SELECT provider, model, dims FROM space`).Scan(&s.Provider, &s.Model, &s.Dims)
	if errors.Is(err, sql.ErrNoRows) {
		return Space{}, nil
	}
	if err != nil {
		return s, fmt.Errorf("read whose the meanings are: %w", err)
	}
	return s, nil
}

// In says whose word the meanings are by; none when there are none.
func (x *Index) In(ctx context.Context) (Space, error) {
	s, err := x.shelf(ctx)
	if err != nil {
		return Space{}, err
	}
	return s.space, nil
}

// Meanings is of how many texts there is one.
func (x *Index) Meanings(ctx context.Context) (n int, err error) {
	if err := x.read.QueryRowContext(ctx, `SELECT count(*) FROM meanings`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count meanings: %w", err)
	}
	return n, nil
}

// Hashes are those of all texts of which there is a meaning.
func (x *Index) Hashes(ctx context.Context) (map[[sha256.Size]byte]bool, error) {
	rows, err := x.read.QueryContext(ctx, `SELECT hash FROM meanings`)
	if err != nil {
		return nil, fmt.Errorf("read hashes of memory: %w", err)
	}
	defer rows.Close()
	all := map[[sha256.Size]byte]bool{}
	for rows.Next() {
		var b sql.RawBytes
		if err := rows.Scan(&b); err != nil {
			return nil, fmt.Errorf("read hashes of memory: %w", err)
		}
		all[[sha256.Size]byte(b)] = true
	}
	return all, rows.Err()
}
