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
	return x.change(ctx, func(w *writer) error { return w.put(file, mark, texts) })
}

// change writes in one transaction, and puts the shelf as it is then in place of the one before.
func (x *Index) change(ctx context.Context, do func(w *writer) error) error {
	x.changing.Lock()
	defer x.changing.Unlock()
	shelf, err := x.shelfLocked(ctx)
	if err != nil {
		return err
	}
	tx, err := x.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	w := writer{
		ctx: ctx, tx: tx, shelf: shelf, space: shelf.space, blocks: map[int64]*block{}, counts: map[string]int{},
		stems: map[string][]string{}, prepared: map[string]*sql.Stmt{},
	}
	if err := do(&w); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	fresh := shelf.with(w.blocks)
	fresh.space = w.space
	x.newest.Store(fresh)
	return nil
}

type writer struct {
	ctx    context.Context
	tx     *sql.Tx
	shelf  *shelf
	space  Space               // of the meanings, as it will be
	blocks map[int64]*block    // that change, as they will be
	counts map[string]int      // of stems: in how many more texts each is
	stems  map[string][]string // of words that were met

	prepared map[string]*sql.Stmt
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
			err = errors.Join(w.remove(old.id, old.Text.Text), w.insert(t))
		default:
			err = w.insert(t)
		}
		if err != nil {
			return fmt.Errorf("write %s into the index of memory: %w", t.ID, err)
		}
	}
	for _, gone := range there {
		if err := w.remove(gone.id, gone.Text.Text); err != nil {
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
	w.block(id).of(id).bound(t)
	return w.exec(`UPDATE texts SET grp = ?, line = ?, day = ?, trust = ?, clean = ?, kind = ?, extra = ? WHERE id = ?`,
		t.Group, t.Line, unix(t.Day), t.Trust, t.Clean, t.Kind, t.Extra, id)
}

func (w *writer) insert(t Text) error {
	if taken, err := w.elsewhere(t); taken || err != nil {
		return err
	}
	words := wordsOf(t.Text)
	stems := w.stemmed(words)
	w.count(stems, 1)
	res, err := w.run(`INSERT INTO texts (name, grp, file, line, text, day, trust, clean, kind, extra)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.ID, t.Group, t.File, t.Line, t.Text, unix(t.Day), t.Trust, t.Clean, t.Kind, t.Extra)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return fmt.Errorf("insert a text: %w", err)
	}
	if err := w.exec(`INSERT INTO stems (rowid, stem) VALUES (?, ?)`, id, strings.Join(stems, " ")); err != nil {
		return err
	}
	e := w.block(id).of(id)
	e.hold(embed(words, evenly, grams))
	e.mark(stems)
	e.bound(t)
	return nil
}

// elsewhere settles which of two files has a text of one name, as after a copy: the one whose name comes first. The other file is
// read again at every look until that changes.
func (w *writer) elsewhere(t Text) (taken bool, err error) {
	var id int64
	var file, text string
	st, err := w.statement(`SELECT id, file, text FROM texts WHERE name = ?`)
	if err != nil {
		return false, err
	}
	err = st.QueryRowContext(w.ctx, t.ID).Scan(&id, &file, &text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read memory: %w", err)
	case file < t.File:
		w.shadowed = true
		return true, nil
	}
	return false, errors.Join(w.remove(id, text), w.mark(file, ""))
}

func (w *writer) remove(id int64, text string) error {
	w.count(w.stemmed(wordsOf(text)), -1)
	*w.block(id).of(id) = entry{}
	return errors.Join(w.exec(`DELETE FROM texts WHERE id = ?`, id), w.exec(`DELETE FROM stems WHERE rowid = ?`, id),
		w.exec(`DELETE FROM meanings WHERE id = ?`, id))
}

// block is a copy of the block in which the entry of an id stands; what is changed in it is written with flush.
func (w *writer) block(id int64) *block {
	at := id / perBlock
	b, known := w.blocks[at]
	if !known {
		b = &block{}
		if old := w.shelf.blocks[at]; old != nil {
			*b = *old
		}
		w.blocks[at] = b
	}
	return b
}

// count keeps in mind that so many more texts have these stems.
func (w *writer) count(stems []string, more int) {
	seen := map[string]bool{}
	for _, s := range stems {
		if !seen[s] {
			w.counts[s] += more
		}
		seen[s] = true
	}
}

// flush writes the blocks and counts that changed.
func (w *writer) flush() error {
	fewer := false
	for stem, more := range w.counts {
		if more == 0 {
			continue
		}
		fewer = fewer || more < 0
		err := w.exec(`INSERT INTO counts (stem, docs) VALUES (?, ?) ON CONFLICT DO UPDATE SET docs = docs + excluded.docs`, stem, more)
		if err != nil {
			return err
		}
	}
	if fewer {
		if err := w.exec(`DELETE FROM counts WHERE docs <= 0`); err != nil {
			return err
		}
	}
	for at, b := range w.blocks {
		err := error(nil)
		if n, _ := b.texts(); n == 0 {
			err = w.exec(`DELETE FROM vectors WHERE block = ?`, at)
		} else {
			err = w.exec(`INSERT OR REPLACE INTO vectors (block, data) VALUES (?, ?)`, at, b.bytes())
		}
		if err != nil {
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
	_, err := w.run(query, args...)
	return err
}

// run runs a statement.
func (w *writer) run(query string, args ...any) (sql.Result, error) {
	st, err := w.statement(query)
	if err != nil {
		return nil, err
	}
	done, err := st.ExecContext(w.ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("write the index of memory: %w", err)
	}
	return done, nil
}

// statement prepares one that is run for many texts, once. The end of the transaction closes it.
func (w *writer) statement(query string) (st *sql.Stmt, err error) {
	if st = w.prepared[query]; st != nil {
		return st, nil
	}
	if st, err = w.tx.PrepareContext(w.ctx, query); err != nil {
		return nil, fmt.Errorf("write the index of memory: %w", err)
	}
	w.prepared[query] = st
	return st, nil
}

// stemmed are the stems of a text, as full text search reads them.
func (w *writer) stemmed(words []string) (all []string) {
	for _, word := range words {
		stems, known := w.stems[word]
		if !known {
			stems = stemsOf(word)
			w.stems[word] = stems
		}
		all = append(all, stems...)
	}
	return all
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
