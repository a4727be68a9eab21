package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Put makes the index hold exactly these texts of a file, and remembers the mark that says which state of the file it was. No
// texts and no mark: the file is gone. Texts that are there unchanged are left alone.
func (x *Index) Put(ctx context.Context, file, mark string, texts []Text) error {
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	w := writer{ctx: ctx, tx: tx, blocks: map[int64]block{}}
	if err := w.put(file, mark, texts); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	return nil
}

type writer struct {
	ctx    context.Context
	tx     *sql.Tx
	blocks map[int64]block // of vectors, as they will be written

	shadowed bool // another file has a text of this one
}

// row is a text of the file that is in the index already.
type row struct {
	id int64
	Text
}

func (w *writer) put(file, mark string, texts []Text) error {
	there, err := w.there(file)
	if err != nil {
		return err
	}
	for _, t := range texts {
		old, known := there[t.ID]
		delete(there, t.ID)
		switch {
		case known && old.Text.Text == t.Text:
			err = w.update(old.id, t)
		case known:
			err = errors.Join(w.remove(old.id), w.insert(t))
		default:
			err = w.insert(t)
		}
		if err != nil {
			return fmt.Errorf("write %s into the index of memory: %w", t.ID, err)
		}
	}
	for _, gone := range there {
		if err := w.remove(gone.id); err != nil {
			return err
		}
	}
	if w.shadowed {
		mark = ""
	}
	return errors.Join(w.mark(file, mark), w.flush())
}

// there are the texts of a file as the index has them.
func (w *writer) there(file string) (map[string]row, error) {
	rows, err := w.tx.QueryContext(w.ctx, `SELECT id, name, text FROM texts WHERE file = ?`, file)
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	defer rows.Close()
	all := map[string]row{}
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.ID, &r.Text.Text); err != nil {
			return nil, fmt.Errorf("read memory: %w", err)
		}
		all[r.ID] = r
	}
	return all, rows.Err()
}

func (w *writer) update(id int64, t Text) error {
	block, err := w.block(id)
	if err != nil {
		return err
	}
	block.of(id).bound(t)
	return w.exec(`UPDATE texts SET grp = ?, line = ?, day = ?, trust = ?, clean = ?, kind = ?, extra = ? WHERE id = ?`,
		t.Group, t.Line, unix(t.Day), t.Trust, t.Clean, t.Kind, t.Extra, id)
}

func (w *writer) insert(t Text) error {
	if taken, err := w.elsewhere(t); taken || err != nil {
		return err
	}
	words := wordsOf(t.Text)
	res, err := w.tx.ExecContext(w.ctx, `INSERT INTO texts (name, grp, file, line, text, day, trust, clean, kind, extra)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.ID, t.Group, t.File, t.Line, t.Text, unix(t.Day), t.Trust, t.Clean, t.Kind, t.Extra)
	if err != nil {
		return fmt.Errorf("insert a text: %w", err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return fmt.Errorf("insert a text: %w", err)
	}
	if err := w.exec(`INSERT INTO stems (rowid, stem) VALUES (?, ?)`, id, stemmed(words)); err != nil {
		return err
	}
	return w.place(id, words, t)
}

// elsewhere settles which of two files has a text of one name, as after a copy: the one whose name comes first. The other file is
// read again at every look until that changes.
func (w *writer) elsewhere(t Text) (taken bool, err error) {
	var id int64
	var file string
	err = w.tx.QueryRowContext(w.ctx, `SELECT id, file FROM texts WHERE name = ?`, t.ID).Scan(&id, &file)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read memory: %w", err)
	case file < t.File:
		w.shadowed = true
		return true, nil
	}
	return false, errors.Join(w.remove(id), w.mark(file, ""))
}

func (w *writer) remove(id int64) error {
	block, err := w.block(id)
	if err == nil {
		clear(block.of(id))
	}
	return errors.Join(err, w.exec(`DELETE FROM texts WHERE id = ?`, id), w.exec(`DELETE FROM stems WHERE rowid = ?`, id))
}

// place puts the vector of a text where its id says.
func (w *writer) place(id int64, words []string, t Text) error {
	block, err := w.block(id)
	if err == nil {
		block.of(id).hold(embed(words, evenly))
		block.of(id).bound(t)
	}
	return err
}

// block is the row of vectors in which that of an id stands; what is changed in it is written with flush.
func (w *writer) block(id int64) (block, error) {
	at := id / perBlock
	if b, known := w.blocks[at]; known {
		return b, nil
	}
	var data []byte
	err := w.tx.QueryRowContext(w.ctx, `SELECT data FROM vectors WHERE block = ?`, at).Scan(&data)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	if len(data) != perBlock*entrySize {
		data = make([]byte, perBlock*entrySize)
	}
	w.blocks[at] = data
	return data, nil
}

func (w *writer) flush() error {
	for at, data := range w.blocks {
		if err := w.exec(`INSERT OR REPLACE INTO vectors (block, data) VALUES (?, ?)`, at, []byte(data)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) mark(file, mark string) error {
	if mark == "" {
		return w.exec(`DELETE FROM files WHERE file = ?`, file)
	}
	return w.exec(`INSERT OR REPLACE INTO files (file, mark) VALUES (?, ?)`, file, mark)
}

func (w *writer) exec(query string, args ...any) error {
	if _, err := w.tx.ExecContext(w.ctx, query, args...); err != nil {
		return fmt.Errorf("write the index of memory: %w", err)
	}
	return nil
}

// stemmed is what full text search reads of a text.
func stemmed(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, stemsOf(w)...)
	}
	return strings.Join(all, " ")
}

// evenly weighs what is common little, and everything else alike: how rare a word is, only the question knows.
func evenly(word string) float64 {
	if common[word] {
		return 0.2
	}
	return 1
}

// undated is the day of what does not age: in lists it stands before every day.
const undated = 1 << 40

func unix(day time.Time) int64 {
	if day.IsZero() {
		return undated
	}
	return day.Unix()
}

func dayOf(unix int64) time.Time {
	if unix == undated {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}
