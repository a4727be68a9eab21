package help

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Piece is a part of a text; Mark says that it is what was looked for.
type Piece struct {
	Text string
	Mark bool
}

// Hit is an article that a search has found.
type Hit struct {
	Slug    string
	Section string  // where in the article the excerpt stands; empty for its beginning
	Title   []Piece // of the article
	Excerpt []Piece
}

// What a word weighs by where it stands.
const (
	inTitle   = 100
	inHeading = 20
	inText    = 1
	mostText  = 10 // of one word, however often it stands there
)

// maxQuery is how much of a query is looked at, in bytes.
const maxQuery = 200

// indexed is an article with its words.
type indexed struct {
	slug  string
	title passage
	parts []part
}

// part is the beginning of an article or one of its sections.
type part struct {
	id      string
	heading passage
	text    passage
}

// passage is a text without Markdown, and its words.
type passage struct {
	text  string
	words []word
}

// index finds the words of all articles.
func index(lang string, topics []Topic) []indexed {
	of := func(s string) passage { return passage{s, wordsOf(lang, s)} }
	var all []indexed
	for _, t := range topics {
		for _, a := range t.Articles {
			x := indexed{slug: a.Slug, title: of(a.Title), parts: []part{{text: of(plain(a.Lead))}}}
			for _, s := range a.Sections {
				x.parts = append(x.parts, part{s.ID, of(s.Title), of(plain(s.Body))})
			}
			all = append(all, x)
		}
	}
	return all
}

var (
	links = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	marks = regexp.MustCompile("(?m)^[ \t]*(?:[-*] |\\d+\\. |#+ |\\|[ |:-]+\\|$)|[*`_]+")
	bars  = regexp.MustCompile(`[ \t]*\|[ \t]*`)
)

// plain is what is read of a Markdown text.
func plain(src string) string {
	src = links.ReplaceAllString(src, "$1")
	src = marks.ReplaceAllString(src, "")
	src = bars.ReplaceAllString(src, " ")
	return strings.Join(strings.Fields(src), " ")
}

// Search finds the articles for a locale that hold the words of a query, the best first. Case, accents and the endings of
// words do not matter. Articles with all words come alone; when none has all, those with the most.
func Search(locale, query string) []Hit {
	lang := locale
	if _, ok := books()[lang]; !ok {
		lang = fallback
	}
	stems := stemsOf(lang, clip(query))
	if len(stems) == 0 {
		return nil
	}
	var found []scored
	for _, x := range books()[lang].words {
		if s := x.score(stems); s.words > 0 {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score))
	})
	var hits []Hit
	for _, s := range found {
		if s.words == found[0].words {
			hits = append(hits, s.hit(stems))
		}
	}
	return hits
}

func clip(query string) string {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	return query
}

// scored is an article with how well it answers a query.
type scored struct {
	indexed
	words int // of the query that it has
	score int
	best  int // the part that has most of it
}

func (x indexed) score(stems []string) scored {
	s := scored{indexed: x}
	byPart := make([]int, len(x.parts))
	for _, stem := range stems {
		sum := inTitle * min(1, x.title.count(stem))
		text := 0
		for i, p := range x.parts {
			here := inHeading*min(1, p.heading.count(stem)) + inText*p.text.count(stem)
			byPart[i] += here
			text += here
		}
		if sum += min(text, inHeading+mostText); sum > 0 {
			s.words++
		}
		s.score += sum
	}
	for i, n := range byPart {
		if n > byPart[s.best] {
			s.best = i
		}
	}
	return s
}

// count is how often a passage has a word.
func (p passage) count(stem string) int {
	n := 0
	for _, w := range p.words {
		if w.matches(stem) {
			n++
		}
	}
	return n
}

func (s scored) hit(stems []string) Hit {
	p := s.parts[s.best]
	return Hit{Slug: s.slug, Section: p.id, Title: s.title.marked(stems), Excerpt: p.text.excerpt(stems)}
}
