package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// columns are those of a text, in the order in which scan reads them.
const columns = `id, name, grp, file, line, text, day, trust, clean, kind, extra`

func scan(rows *sql.Rows) (id int64, t Text, err error) {
	var day int64
	err = rows.Scan(&id, &t.ID, &t.Group, &t.File, &t.Line, &t.Text, &day, &t.Trust, &t.Clean, &t.Kind, &t.Extra)
	if err != nil {
		return 0, Text{}, fmt.Errorf("read memory: %w", err)
	}
	t.Day = dayOf(day)
	return id, t, nil
}

// ErrUnknown says that the index holds no such text.
var ErrUnknown = errors.New("no such text")

// Get is one text by its id, or ErrUnknown.
func (x *Index) Get(ctx context.Context, id string) (Text, error) {
	all, err := x.texts(ctx, `name = ?`, id)
	if err == nil && len(all) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return Text{}, err
	}
	return all[0], nil
}

// List is what to list: what does not age first, then the newest day first.
type List struct {
	Groups []string // whose texts; none: everybody's
	Kind   string   // empty: all
	Clean  bool     // only what is clean
	Ages   bool     // only what is of a day, from Since on
	Lasts  bool     // only what does not age
	Since  time.Time
	After  string // the id of the last text of the page before; a text that is gone begins the list anew
	Limit  int
}

// List answers with a page of texts.
func (x *Index) List(ctx context.Context, l List) ([]Text, error) {
	where, args := `TRUE`, []any{}
	if len(l.Groups) > 0 {
		where, args = within(l.Groups)
	}
	if l.Kind != "" {
		where, args = where+` AND kind = ?`, append(args, l.Kind)
	}
	if l.Clean {
		where += ` AND clean`
	}
	if l.Lasts {
		where, args = where+` AND day = ?`, append(args, undated)
	}
	if l.Ages {
		where, args = where+` AND day >= ? AND day < ?`, append(args, unix(l.Since), undated)
	}
	if l.After != "" {
		where += ` AND ((day, file, line, id) < (SELECT day, file, line, id FROM texts WHERE name = ?)
			OR NOT EXISTS (SELECT 1 FROM texts WHERE name = ?))`
		args = append(args, l.After, l.After)
	}
	return x.texts(ctx, where+` ORDER BY day DESC, file DESC, line DESC, id DESC LIMIT ?`, append(args, l.Limit)...)
}

func (x *Index) texts(ctx context.Context, where string, args ...any) ([]Text, error) {
	rows, err := x.read.QueryContext(ctx, `SELECT `+columns+` FROM texts WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("list memory: %w", err)
	}
	defer rows.Close()
	var all []Text
	for rows.Next() {
		_, t, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// Texts is how many texts the index holds that say something.
func (x *Index) Texts(ctx context.Context) (int, error) {
	s, err := x.shelf(ctx)
	if err != nil {
		return 0, err
	}
	return s.texts, nil
}

// Count is how many texts stand in these groups.
func (x *Index) Count(ctx context.Context, groups []string) (n int, err error) {
	in, args := within(groups)
	if err := x.read.QueryRowContext(ctx, `SELECT count(*) FROM texts WHERE `+in, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count memory: %w", err)
	}
	return n, nil
}

// within is the condition that a text is one of these groups.
func within(groups []string) (where string, args []any) {
	for _, g := range groups {
		args = append(args, g)
	}
	return `grp IN (?` + strings.Repeat(", ?", len(groups)-1) + `)`, args
}
