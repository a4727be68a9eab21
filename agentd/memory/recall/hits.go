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
	best := 0.0
	for _, c := range s.found {
		c.words = wordsOf(c.Text.Text)
		c.lexical = s.bm25(c.words)
		best = max(best, c.lexical)
	}
	all := make([]candidate, 0, len(s.found))
	for _, c := range s.found {
		c.lexical /= max(best, 1e-9)
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
	if s.By != Lexical {
		v := embed(c.words, evenly, s.split)
		c.near = v.cosine(&s.vector)
	}
	switch s.By {
	case Lexical:
		c.score = c.lexical
	case Vectors:
		c.score = c.near
	default:
		if c.letters = s.like(c.words); c.letters >= least || c.means >= telling {
			c.weigh(s.Now)
		}
	}
}

// What BM25 is usually set to: how soon a word that comes again counts no more, and how much long texts are held back.
const (
	saturation = 1.2
	evening    = 0.75
)

// bm25 is how well a text fits by the stems that it has in common with the question.
func (s *search) bm25(words []string) (sum float64) {
	times := map[string]int{}
	length := 0
	for _, w := range words {
		for _, stem := range s.stemsOf(w) {
			times[stem]++
			length++
		}
	}
	usual := float64(s.shelf.stems) / float64(max(s.shelf.texts, 1))
	long := saturation * (1 - evening + evening*float64(length)/max(usual, 1))
	for _, w := range s.words {
		for _, stem := range w.stems {
			n := float64(times[stem.text])
			sum += rarity(s.shelf.texts, stem.docs) * n * (saturation + 1) / (n + long)
		}
	}
	return sum
}

// stemsOf is the function of this name, worked out once for each word.
func (s *search) stemsOf(word string) []string {
	stems, known := s.stems[word]
	if !known {
		stems = stemsOf(word)
		s.stems[word] = stems
	}
	return stems
}

// like is the share of the question, by how rare its words are, that a text has words for.
func (s *search) like(words []string) float64 {
	best := make([]float64, len(s.words))
	for _, w := range words {
		for i, likeness := range s.likeness(w) {
			best[i] = max(best[i], likeness)
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

// likeness says how like a word is to each of the question, or nothing when it is to none. Texts share most of their words, so it
// is worked out once.
func (s *search) likeness(word string) []float64 {
	if known, ok := s.alike[word]; ok {
		return known
	}
	have := s.split(word)
	shared := make([]int, len(s.words))
	for _, g := range have {
		for _, i := range s.holders[g] {
			shared[i]++
		}
	}
	all, some := make([]float64, len(s.words)), false
	for i := range s.words {
		all[i] = alike(shared[i], len(s.words[i].grams), len(have))
		if s.words[i].text == word {
			all[i] = 1
		}
		some = some || all[i] > 0
	}
	if !some {
		all = nil
	}
	s.alike[word] = all
	return all
}

// split is grams, worked out once for each word.
func (s *search) split(word string) []uint32 {
	g, known := s.grams[word]
	if !known {
		g = grams(word)
		s.grams[word] = g
	}
	return g
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
