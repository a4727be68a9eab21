package recall

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Query is what somebody wants to know.
type Query struct {
	Text   string
	Groups []string  // whose texts; none: everybody's
	Clean  bool      // only what is clean
	Kind   string    // empty: all
	Limit  int       // how many hits, at least 1
	Now    time.Time // texts age until this moment
	By     Way       // how to look; zero: in every way
}

// Way is how texts are looked for; the ways are told apart to measure them.
type Way int

// Ways to look.
const (
	Fused   Way = iota // all joined
	Lexical            // BM25 alone
	Vectors            // hashed vectors alone
)

// Hit is a text with how well it fits, 0 to 1.
type Hit struct {
	Text
	Score float64
}

const (
	// Of a longer question the beginning counts, and so many words of it: a whole letter is no better question.
	longest   = 8000 // bytes
	mostWords = 64

	pool   = 60   // texts that each way may propose
	often  = 0.2  // a stem in more than this share of texts is not looked up when there are others
	fewest = 2000 // below so many texts every stem is looked up
	judged = 200  // how rare a word is, is judged as if there were at least so many texts
)

// Find answers with the texts that fit best, the best first.
func (x *Index) Find(ctx context.Context, q Query) ([]Hit, error) {
	tx, err := x.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	s := search{ctx: ctx, tx: tx, Query: q, holders: map[uint32][]int{}, found: map[int64]*candidate{}}
	if err := s.weighWords(); err != nil || len(s.words) == 0 {
		return nil, err
	}
	if q.By != Vectors {
		if err := s.byWords(); err != nil {
			return nil, err
		}
	}
	if q.By != Lexical {
		if err := s.byVector(); err != nil {
			return nil, err
		}
	}
	return s.hits()
}

type search struct {
	Query
	ctx   context.Context
	tx    *sql.Tx
	total int
	words []word
	// holders are the words of the question, by number, that have a stretch of letters.
	holders map[uint32][]int
	found   map[int64]*candidate
}

// word is one word of the question.
type word struct {
	text   string
	stems  []string
	rare   float64 // how rare its rarest stem is (inverse document frequency)
	grams  []uint32
	lookup bool
}

// weighWords finds out how rare each word of the question is.
func (s *search) weighWords() error {
	if err := s.tx.QueryRowContext(s.ctx, `SELECT count(*) FROM texts`).Scan(&s.total); err != nil {
		return fmt.Errorf("count memory: %w", err)
	}
	for _, text := range asked(cut(s.Text, longest)) {
		if len(s.words) == mostWords {
			break
		}
		if slices.ContainsFunc(s.words, func(w word) bool { return w.text == text }) {
			continue
		}
		w := word{text: text, stems: stemsOf(text), grams: grams(text)}
		docs := 0
		for _, stem := range w.stems {
			var n int
			err := s.tx.QueryRowContext(s.ctx, `SELECT coalesce((SELECT doc FROM stem_counts WHERE term = ?), 0)`, stem).Scan(&n)
			if err != nil {
				return fmt.Errorf("count a word: %w", err)
			}
			docs = max(docs, n)
		}
		w.rare = math.Log(1 + (float64(max(s.total, judged))-float64(docs)+0.5)/(float64(docs)+0.5))
		w.lookup = docs > 0 && (s.total < fewest || float64(docs) < often*float64(s.total))
		for _, g := range w.grams {
			if at := s.holders[g]; len(at) == 0 || at[len(at)-1] != len(s.words) {
				s.holders[g] = append(at, len(s.words))
			}
		}
		s.words = append(s.words, w)
	}
	return nil
}

// byWords proposes the texts that hold stems of the question, by BM25.
func (s *search) byWords() error {
	var terms []string
	for _, w := range s.words {
		if w.lookup {
			for _, stem := range w.stems {
				terms = append(terms, `"`+strings.ReplaceAll(stem, `"`, `""`)+`"`)
			}
		}
	}
	if len(terms) == 0 {
		return nil
	}
	where, args := s.bounds()
	rows, err := s.tx.QueryContext(s.ctx, `SELECT texts.id, -bm25(stems) FROM stems JOIN texts ON texts.id = stems.rowid
		WHERE stems MATCH ?`+where+` ORDER BY bm25(stems) LIMIT ?`, slices.Concat([]any{strings.Join(terms, " OR ")}, args, []any{pool})...)
	if err != nil {
		return fmt.Errorf("search memory by words: %w", err)
	}
	defer rows.Close()
	best := 0.0
	for rows.Next() {
		var id int64
		var score float64
		if err := rows.Scan(&id, &score); err != nil {
			return fmt.Errorf("search memory by words: %w", err)
		}
		best = max(best, score)
		s.candidate(id).lexical = score / max(best, 1e-9)
	}
	return rows.Err()
}

// bounds are the conditions of the question on texts.
func (s *search) bounds() (where string, args []any) {
	if len(s.Groups) > 0 {
		where, args = within(s.Groups)
		where = ` AND ` + where
	}
	if s.Clean {
		where += ` AND texts.clean`
	}
	if s.Kind != "" {
		where, args = where+` AND texts.kind = ?`, append(args, s.Kind)
	}
	return where, args
}

func (s *search) candidate(id int64) *candidate {
	c := s.found[id]
	if c == nil {
		c = &candidate{}
		s.found[id] = c
	}
	return c
}

// near is a text with how close its vector is.
type near struct {
	id     int64
	cosine float64
}

// byVector proposes the texts whose vectors point where the question does, and measures those that words proposed.
func (s *search) byVector() error {
	rare := map[string]float64{}
	texts := make([]string, len(s.words))
	for i, w := range s.words {
		rare[w.text], texts[i] = w.rare, w.text
	}
	ask := embed(texts, func(w string) float64 { return rare[w] })
	best, err := s.scan(&ask)
	if err != nil {
		return err
	}
	for _, n := range closest(best) {
		s.candidate(n.id).near = n.cosine
	}
	return nil
}

// scan reads every vector, and keeps the closest of those that the question allows.
func (s *search) scan(ask *vector) ([]near, error) {
	rows, err := s.tx.QueryContext(s.ctx, `SELECT block, data FROM vectors`)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	defer rows.Close()
	var best []near
	own, allows := max(ask.length(), 1), s.allows()
	for rows.Next() {
		var at int64
		var data sql.RawBytes
		if err := rows.Scan(&at, &data); err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		for n := range len(data) / entrySize {
			if e := block(data).at(n); e.length() > 0 && allows(e) {
				best = keep(best, near{at*perBlock + int64(n), float64(e.product(ask)) / (own * e.length())})
			}
		}
	}
	return best, rows.Err()
}

// allows says of an entry whether the question allows it. Hashes can collide: what is proposed is compared again, see within.
func (s *search) allows() func(entry) bool {
	groups := make([]uint32, len(s.Groups))
	for i, g := range s.Groups {
		groups[i] = hashed(g)
	}
	kind := hashed(s.Kind)
	return func(e entry) bool {
		if s.Kind != "" && e.kind() != kind || s.Clean && !e.clean() {
			return false
		}
		return len(groups) == 0 || slices.Contains(groups, e.group())
	}
}

// within says whether the question allows a text.
func (q Query) within(t Text) bool {
	if q.Kind != "" && t.Kind != q.Kind || q.Clean && !t.Clean {
		return false
	}
	return len(q.Groups) == 0 || slices.Contains(q.Groups, t.Group)
}

// keep adds what is close to the closest so far, and now and then drops the rest.
func keep(best []near, n near) []near {
	best = append(best, n)
	if len(best) < 8*pool {
		return best
	}
	return closest(best)
}

func closest(best []near) []near {
	slices.SortFunc(best, func(a, b near) int { return cmp.Compare(b.cosine, a.cosine) })
	return best[:min(len(best), pool)]
}
