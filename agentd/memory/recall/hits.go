package recall

import (
	"fmt"
	"strings"
)

// hits reads the candidates, compares them with the question word by word, and puts them in order.
func (s *search) hits() ([]Hit, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	all := make([]candidate, 0, len(s.found))
	for _, c := range s.found {
		if s.score(c); c.score > 0 && s.within(c.Text) {
			all = append(all, *c)
		}
	}
	picked := ordered(all, max(s.Limit, 1))
	hits := make([]Hit, len(picked))
	for i, c := range picked {
		hits[i] = Hit{Text: c.Text, Score: c.score}
	}
	return hits, nil
}

// least is the share of a question that a text must have words for. Letters that two texts share by chance are no answer.
const least = 0.25

func (s *search) score(c *candidate) {
	c.words = wordsOf(c.Text.Text)
	switch s.By {
	case Lexical:
		c.score = c.lexical
	case Vectors:
		c.score = c.near
	default:
		if c.letters = s.like(c.words); c.letters >= least {
			c.weigh(s.Now)
		}
	}
}

// like is the share of the question, by how rare its words are, that a text has words for.
func (s *search) like(words []string) float64 {
	best := make([]float64, len(s.words))
	shared := make([]int, len(s.words))
	for _, w := range words {
		have := grams(w)
		clear(shared)
		for _, g := range have {
			for _, i := range s.holders[g] {
				shared[i]++
			}
		}
		for i := range s.words {
			if s.words[i].text == w {
				best[i] = 1
			} else {
				best[i] = max(best[i], alike(shared[i], len(s.words[i].grams), len(have)))
			}
		}
	}
	var sum, all float64
	for i, w := range s.words {
		all += w.rare
		sum += w.rare * best[i]
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

// read fills in what the candidates are.
func (s *search) read() error {
	if len(s.found) == 0 {
		return nil
	}
	ids := make([]any, 0, len(s.found))
	for id := range s.found {
		ids = append(ids, id)
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT `+columns+` FROM texts WHERE id IN (?`+strings.Repeat(", ?", len(ids)-1)+`)`, ids...)
	if err != nil {
		return fmt.Errorf("read memory: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		id, t, err := scan(rows)
		if err != nil {
			return err
		}
		s.found[id].Text = t
	}
	return rows.Err()
}
