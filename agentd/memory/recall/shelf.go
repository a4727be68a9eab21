package recall

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
)

// shelf is every entry, in memory: about 110 bytes for each text. A search looks at all of them. It is never changed; a writer puts
// another in its place.
type shelf struct {
	blocks map[int64]*block
	texts  int
	stems  int // of all texts
	space  Space
}

// shelf is the newest, read from the file when it is first asked for.
func (x *Index) shelf(ctx context.Context) (*shelf, error) {
	if s := x.newest.Load(); s != nil {
		return s, nil
	}
	x.changing.Lock()
	defer x.changing.Unlock()
	return x.shelfLocked(ctx)
}

// shelfLocked is shelf for whoever holds changing.
func (x *Index) shelfLocked(ctx context.Context) (*shelf, error) {
	if s := x.newest.Load(); s != nil {
		return s, nil
	}
	rows, err := x.read.QueryContext(ctx, `SELECT block, data FROM vectors`)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	defer rows.Close()
	s := &shelf{blocks: map[int64]*block{}}
	for rows.Next() {
		var at int64
		var data sql.RawBytes
		if err := rows.Scan(&at, &data); err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		b := &block{}
		b.read(data)
		s.blocks[at] = b
		n, stems := b.texts()
		s.texts, s.stems = s.texts+n, s.stems+stems
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	if s.space, err = x.space(ctx); err != nil {
		return nil, err
	}
	x.newest.Store(s)
	return s, nil
}

// with is the shelf after some blocks have changed; those without any text are gone.
func (s *shelf) with(changed map[int64]*block) *shelf {
	fresh := &shelf{blocks: maps.Clone(s.blocks), texts: s.texts, stems: s.stems, space: s.space}
	for at, b := range changed {
		n, stems := b.texts()
		fresh.texts, fresh.stems = fresh.texts+n, fresh.stems+stems
		if old := s.blocks[at]; old != nil {
			was, wereStems := old.texts()
			fresh.texts, fresh.stems = fresh.texts-was, fresh.stems-wereStems
		}
		if fresh.blocks[at] = b; n == 0 {
			delete(fresh.blocks, at)
		}
	}
	return fresh
}

// entry is that of a text, or nil.
func (s *shelf) entry(id int64) *entry {
	if b := s.blocks[id/perBlock]; b != nil && b.of(id).there() {
		return b.of(id)
	}
	return nil
}
