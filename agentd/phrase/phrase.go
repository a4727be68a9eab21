package phrase

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Book holds the sentences of one language. The zero Book says everything as it was.
type Book struct {
	exact    map[string]string
	patterns []pattern // those that begin with words before those that begin with a value, then the most particular first
}

// pattern is a sentence with places for values.
type pattern struct {
	begin string // before the first place; what does not begin so cannot match
	shape *regexp.Regexp
	to    string
	known int // bytes that are no place
}

// place is {1} to {9}: any text on the left, with # a whole number; carried over on the right, with * said in turn.
var place = regexp.MustCompile(`\{([1-9])([#*]?)\}`)

// New makes a book of sentences: English on the left, with places {1} to {9} in their order, and on the right the same places in
// any order. {1#} on the left takes digits alone. {1*} on the right is put into the language as well, where {1} stays to the
// letter, as a name or a path must. Sentences whose places differ are an error.
func New(sentences map[string]string) (Book, error) {
	b := Book{exact: map[string]string{}}
	for from, to := range sentences {
		places := numbers(from, '#')
		if err := fit(places, numbers(to, '*')); err != nil {
			return Book{}, fmt.Errorf("%q: %w", from, err)
		}
		if len(places) == 0 {
			b.exact[from] = to
			continue
		}
		b.patterns = append(b.patterns, patternOf(from, to))
	}
	slices.SortFunc(b.patterns, func(x, y pattern) int {
		return cmp.Or(
			cmp.Compare(min(len(y.begin), 1), min(len(x.begin), 1)),
			cmp.Compare(y.known, x.known),
			strings.Compare(x.shape.String(), y.shape.String()),
		)
	})
	return b, nil
}

// numbers are the places of a text in their order; 0 is one with a sign that may not stand there.
func numbers(text string, sign byte) (all []int) {
	for _, p := range place.FindAllStringSubmatch(text, -1) {
		if p[2] != "" && p[2][0] != sign {
			all = append(all, 0)
			continue
		}
		all = append(all, int(p[1][0]-'0'))
	}
	return all
}

// fit says what is wrong with the places of a translation.
func fit(from, to []int) error {
	for i, n := range from {
		if n != i+1 {
			return fmt.Errorf("place %d is {%d}", i+1, n)
		}
	}
	got := slices.Clone(to)
	slices.Sort(got)
	if !slices.Equal(from, slices.Compact(got)) {
		return fmt.Errorf("the translation has the places %v", to)
	}
	return nil
}

func patternOf(from, to string) pattern {
	var shape strings.Builder
	parts, places := place.Split(from, -1), place.FindAllStringSubmatch(from, -1)
	known := 0
	for i, part := range parts {
		if i > 0 {
			shape.WriteString(shapes[places[i-1][2]])
		}
		shape.WriteString(regexp.QuoteMeta(part))
		known += len(part)
	}
	return pattern{begin: parts[0], shape: regexp.MustCompile(`(?s)\A` + shape.String() + `\z`), to: to, known: known}
}

// shapes are what a place takes, by its sign.
var shapes = map[string]string{"": "(.+?)", "#": "([0-9]+)"}

// depth is how far a value may be a sentence with values itself.
const depth = 3

// Say is the English sentence in the language of the book; ok is false, and the sentence as it was, when the book does not have
// it.
func (b Book) Say(english string) (said string, ok bool) { return b.say(english, depth) }

func (b Book) say(english string, deep int) (string, bool) {
	if to, ok := b.exact[english]; ok {
		return to, true
	}
	if deep == 0 {
		return english, false
	}
	for _, p := range b.patterns {
		if !strings.HasPrefix(english, p.begin) {
			continue
		}
		if values := p.shape.FindStringSubmatch(english); values != nil {
			return b.fill(p.to, values[1:], deep), true
		}
	}
	return english, false
}

// fill puts the values in their places.
func (b Book) fill(to string, values []string, deep int) string {
	return place.ReplaceAllStringFunc(to, func(p string) string {
		value := values[p[1]-'1']
		if p[2] != '*' {
			return value
		}
		said, _ := b.say(value, deep-1)
		return said
	})
}
