package recall

import (
	"database/sql"
	"fmt"
	"strings"
)

const (
	// reread is how many of the texts that seem nearest by meaning are compared by their whole vectors.
	reread = 200
	// closest is how many of them are proposed then.
	closest = 30
)

// compare reads the vectors of what seems near by meaning, proposes the nearest, and says of each candidate how like it is.
func (s *search) compare(seen scanned) error {
	if s.Means == nil || seen.meant == 0 {
		return nil
	}
	ids := make([]any, 0, len(s.found)+len(seen.byMeaning))
	for id := range s.found {
		ids = append(ids, id)
	}
	for _, n := range seen.byMeaning {
		if s.found[n.id] == nil {
			ids = append(ids, n.id)
		}
	}
	like, err := s.alikeBy(ids)
	if err != nil {
		return err
	}
	nearest := newNearest(closest)
	for id, close := range like {
		nearest.add(near{id, close})
	}
	for _, n := range nearest.best() {
		s.propose(n.id)
	}
	for id, c := range s.found {
		if close, known := like[id]; known {
			c.known, c.means = true, max(close-seen.usual, 0)/max(1-seen.usual, 1e-9)
		}
	}
	return nil
}

// alikeBy is the cosine of what texts mean with what the question does, where both are known.
func (s *search) alikeBy(ids []any) (map[int64]float64, error) {
	like := map[int64]float64{}
	if len(ids) == 0 {
		return like, nil
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT id, data FROM meanings WHERE id IN (?`+strings.Repeat(", ?", len(ids)-1)+`)`, ids...)
	if err != nil {
		return nil, fmt.Errorf("compare meanings: %w", err)
	}
	defer rows.Close()
	ask := vector(*s.Means)
	for rows.Next() {
		var id int64
		var b sql.RawBytes
		if err := rows.Scan(&id, &b); err != nil {
			return nil, fmt.Errorf("compare meanings: %w", err)
		}
		if m, ok := ReadMeaning(b); ok {
			v := vector(m)
			like[id] = v.cosine(&ask)
		}
	}
	return like, rows.Err()
}
