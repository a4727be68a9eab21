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

	Means *Meaning // what the question means, where that is known
	In    Space    // whose word that is: of an index that holds another one's it counts nothing
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

	pool     = 60   // texts that each way may propose
	mostDocs = 1500 // texts that the stems which are looked up may be in together, besides the rarest of them
	judged   = 200  // how rare a word is, is judged as if there were at least so many texts
)

// Find answers with the texts that fit best, the best first.
func (x *Index) Find(ctx context.Context, q Query) ([]Hit, error) {
	shelf, err := x.shelf(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := x.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only reads
	s := search{
		ctx: ctx, tx: tx, shelf: shelf, Query: q, holders: map[uint32][]int{}, found: map[int64]*candidate{},
		grams: map[string][]uint32{}, stems: map[string][]string{}, alike: map[string][]float64{},
	}
	if s.allows = q.allows(); q.In != shelf.space || q.By != Fused {
		s.Means = nil
	}
	if err := s.weighWords(); err != nil || len(s.words) == 0 {
		return nil, err
	}
	scanned := make(chan scanned, 1)
	go func() { scanned <- s.scan() }() // it reads what is settled by now
	if q.By != Vectors {
		err = s.byWords()
	}
	seen := <-scanned
	for _, n := range seen.near {
		s.propose(n.id)
	}
	if err == nil {
		err = s.compare(seen)
	}
	if err != nil {
		return nil, err
	}
	return s.hits()
}

type search struct {
	Query
	ctx    context.Context
	tx     *sql.Tx
	shelf  *shelf
	allows func(*entry) bool
	words  []word
	vector vector // of the question
	// holders are the words of the question, by number, that have a stretch of letters.
	holders map[uint32][]int
	found   map[int64]*candidate
	grams   map[string][]uint32  // of words that were met
	stems   map[string][]string  // of these
	alike   map[string][]float64 // how like such a word is to each of the question
}

// word is one word of the question.
type word struct {
	text  string
	stems []stem
	rare  float64 // how rare its most common stem is (inverse document frequency)
	grams []uint32
}

// stem is one of a word, with how many texts hold it.
type stem struct {
	text string
	docs int
}

// weighWords finds out how rare each word of the question is.
func (s *search) weighWords() error {
	for _, text := range asked(cut(s.Text, longest)) {
		if len(s.words) == mostWords {
			break
		}
		if slices.ContainsFunc(s.words, func(w word) bool { return w.text == text }) {
			continue
		}
		w := word{text: text, grams: grams(text)}
		for _, of := range stemsOf(text) {
			w.stems = append(w.stems, stem{text: of})
		}
		for _, g := range w.grams {
			if at := s.holders[g]; len(at) == 0 || at[len(at)-1] != len(s.words) {
				s.holders[g] = append(at, len(s.words))
			}
		}
		s.words = append(s.words, w)
	}
	return s.countStems()
}

// countStems finds out how many texts hold each stem of the question.
func (s *search) countStems() error {
	var all []any
	for _, w := range s.words {
		for _, st := range w.stems {
			all = append(all, st.text)
		}
	}
	if len(all) == 0 {
		return nil
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT stem, docs FROM counts WHERE stem IN (?`+strings.Repeat(", ?", len(all)-1)+`)`, all...)
	if err != nil {
		return fmt.Errorf("count words: %w", err)
	}
	defer rows.Close()
	docs := map[string]int{}
	for rows.Next() {
		var of string
		var n int
		if err := rows.Scan(&of, &n); err != nil {
			return fmt.Errorf("count words: %w", err)
		}
		docs[of] = n
	}
	for i := range s.words {
		w, most := &s.words[i], 0
		for j := range w.stems {
			w.stems[j].docs = docs[w.stems[j].text]
			most = max(most, w.stems[j].docs)
		}
		w.rare = rarity(s.shelf.texts, most)
	}
	s.aim()
	return rows.Err()
}

// aim makes the vector of the question, in which rare words count most.
func (s *search) aim() {
	rare := map[string]float64{}
	texts := make([]string, len(s.words))
	for i, w := range s.words {
		rare[w.text], texts[i] = w.rare, w.text
	}
	s.vector = embed(texts, func(w string) float64 { return rare[w] }, s.split)
}

// rarity is how much a word tells that so many of all texts hold (inverse document frequency).
func rarity(texts, docs int) float64 {
	return math.Log(1 + (float64(max(texts, judged, docs))-float64(docs)+0.5)/(float64(docs)+0.5))
}

// terms are the stems to look up: the rarest, as long as not too many texts hold them.
func (s *search) terms() (terms []string) {
	var stems []stem
	for _, w := range s.words {
		stems = append(stems, w.stems...)
	}
	slices.SortStableFunc(stems, func(a, b stem) int { return cmp.Compare(a.docs, b.docs) })
	docs := 0
	for _, st := range stems {
		if docs += st.docs; docs > mostDocs && len(terms) > 0 {
			break
		}
		if st.docs > 0 {
			terms = append(terms, `"`+strings.ReplaceAll(st.text, `"`, `""`)+`"`)
		}
	}
	return terms
}

// byWords proposes the texts that hold rare stems of the question, by BM25.
func (s *search) byWords() error {
	terms := s.terms()
	if len(terms) == 0 {
		return nil
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT rowid FROM stems WHERE stems MATCH ? ORDER BY rank`, strings.Join(terms, " OR "))
	if err != nil {
		return fmt.Errorf("search memory by words: %w", err)
	}
	defer rows.Close()
	for len(s.found) < pool && rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return fmt.Errorf("search memory by words: %w", err)
		}
		if e := s.shelf.entry(id); e == nil || !s.allows(e) {
			continue
		}
		s.propose(id)
	}
	return rows.Err()
}

// scan looks at every entry that the question allows, and proposes the texts whose vectors point about where that of the question
// does, and those that seem to hold most of its words: common ones, too, if together.
func (s *search) scan() (out scanned) {
	ask, wanted := s.vector.sums(), s.wanted()
	byVector, byWords, byMeaning := newNearest(pool), newNearest(pool), newNearest(reread)
	means := s.Means.upward()
	for at, b := range s.shelf.blocks {
		for i := range b {
			e := &b[i]
			if !e.there() || !s.allows(e) {
				continue
			}
			id := at*perBlock + int64(i)
			if s.By != Lexical {
				byVector.add(near{id, ask.like(e)})
			}
			if s.By != Vectors {
				byWords.add(near{id, wanted.in(e)})
			}
			if s.Means != nil && e.meant {
				like := alikeness[means.apart(&e.upward)]
				byMeaning.add(near{id, like})
				out.usual, out.meant = out.usual+like, out.meant+1
			}
		}
	}
	out.usual /= float64(max(out.meant, 1))
	out.near, out.byMeaning = append(byVector.best(), byWords.best()...), byMeaning.best()
	return out
}

// scanned is what a look at every entry has found.
type scanned struct {
	near      []near
	byMeaning []near  // roughly: their vectors have to be read
	usual     float64 // how like a text usually is to the question by what it means
	meant     int     // of how many texts that is known
}

func (s *search) propose(id int64) {
	if s.found[id] == nil {
		s.found[id] = &candidate{}
	}
}

// wanted is where the stems of words would be in a plane, and how rare they are.
type wanted []struct {
	places []int
	rare   float64
}

func (s *search) wanted() wanted {
	all := make(wanted, len(s.words))
	for i, w := range s.words {
		for _, st := range w.stems {
			all[i].places = append(all[i].places, place(st.text))
		}
		all[i].rare = w.rare
	}
	return all
}

// in says how much of what is wanted a text seems to hold, beyond what a text of so many stems seems to hold by chance.
func (w wanted) in(e *entry) (sum float64) {
	chance := float64(e.marks) / Dims
	for i := range w {
		has := -chance
		for _, at := range w[i].places {
			if e.stems.has(at) {
				has = 1 - chance
			}
		}
		sum += w[i].rare * has
	}
	return sum
}

// allows says of an entry whether the question allows it. Hashes can collide: what is proposed is compared again, see within.
func (q Query) allows() func(*entry) bool {
	groups := make([]uint32, len(q.Groups))
	for i, g := range q.Groups {
		groups[i] = hashed(g)
	}
	kind := hashed(q.Kind)
	return func(e *entry) bool {
		if q.Kind != "" && e.kind != kind || q.Clean && !e.clean {
			return false
		}
		return len(groups) == 0 || slices.Contains(groups, e.group)
	}
}

// within says whether the question allows a text.
func (q Query) within(t Text) bool {
	if q.Kind != "" && t.Kind != q.Kind || q.Clean && !t.Clean {
		return false
	}
	return len(q.Groups) == 0 || slices.Contains(q.Groups, t.Group)
}

// near is a text with how near it seems to be to a question.
type near struct {
	id    int64
	close float64
}

// nearest gathers the texts that seem nearest.
type nearest struct {
	most  int
	all   []near
	least near // how near a text must be by now
}

func newNearest(most int) *nearest { return &nearest{most: most, least: near{close: math.Inf(-1)}} }

func (n *nearest) add(one near) {
	if one.close < n.least.close || one.close == n.least.close && one.id > n.least.id {
		return // of many that are as close, those that came first are kept: they are not sorted in again and again
	}
	if n.all = append(n.all, one); len(n.all) == 4*n.most {
		n.all = n.best()
		n.least = n.all[n.most-1]
	}
}

// best are the nearest, at most as many as one way may propose.
func (n *nearest) best() []near {
	slices.SortFunc(n.all, func(a, b near) int { return cmp.Or(cmp.Compare(b.close, a.close), cmp.Compare(a.id, b.id)) })
	return n.all[:min(len(n.all), n.most)]
}
