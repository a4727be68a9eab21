package help

import "slices"

// An excerpt begins a few words before the first one that was looked for.
const (
	wordsBefore = 8
	wordsInAll  = 32
)

// marked is the whole passage with what was looked for marked.
func (p passage) marked(stems []string) []Piece { return p.cut(0, len(p.text), stems) }

// excerpt is the part of the passage around the first word that was looked for, or its beginning.
func (p passage) excerpt(stems []string) []Piece {
	at := max(0, slices.IndexFunc(p.words, func(w word) bool { return w.isOne(stems) })-wordsBefore)
	end := min(len(p.words), at+wordsInAll)
	from, to := 0, len(p.text)
	if at > 0 {
		from = p.words[at].from
	}
	if end < len(p.words) {
		to = p.words[end-1].to
	}
	pieces := p.cut(from, to, stems)
	if from > 0 {
		pieces = slices.Insert(pieces, 0, Piece{Text: "… "})
	}
	if to < len(p.text) {
		pieces = append(pieces, Piece{Text: " …"})
	}
	return pieces
}

func (w word) isOne(stems []string) bool { return slices.ContainsFunc(stems, w.matches) }

// cut is the text between two places, with what was looked for as pieces of their own.
func (p passage) cut(from, to int, stems []string) []Piece {
	var all []Piece
	at := from
	for _, w := range p.words {
		if w.from < from || w.to > to || !w.isOne(stems) {
			continue
		}
		if w.from > at {
			all = append(all, Piece{Text: p.text[at:w.from]})
		}
		all = append(all, Piece{Text: p.text[w.from:w.to], Mark: true})
		at = w.to
	}
	if at < to {
		all = append(all, Piece{Text: p.text[at:to]})
	}
	return all
}
