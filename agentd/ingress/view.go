package ingress

import "slices"

// view is one way to read a text: as it stands, or a part that a person would not see.
type view struct {
	text   string
	hidden string // the pattern that explains why a person would not see it, or empty
	odd    bool   // no program writes like this, and people do not write orders like this
}

// deepest is how many layers of encoding are taken off.
const deepest = 3

// roomForViews bounds how much decoded text is read, so that nested encodings cannot multiply the work.
const roomForViews = 4 * most

// views gives the text itself first, then what is hidden in it and what it decodes to.
func views(text string) []view { return viewsBy(finders, text) }

// viewsBy is views with some of the finders.
func viewsBy(by []finder, text string) []view {
	all := []view{{text: text}}
	room := roomForViews
	for depth, from := 0, 0; depth < deepest; depth++ {
		to := len(all)
		for _, v := range all[from:to] {
			for _, found := range insideBy(by, v) {
				if room -= len(found.text); room > 0 {
					all = append(all, found)
				}
			}
		}
		from = to
	}
	return all
}

// insideBy finds what one view hides.
func insideBy(by []finder, v view) (found []view) {
	for _, f := range by {
		for _, text := range f.find(v.text) {
			if text != "" && text != v.text {
				found = append(found, view{text, f.pattern, f.odd})
			}
		}
	}
	return found
}

// finder is a way to hide text, with the pattern it counts as.
type finder struct {
	pattern string
	find    func(string) []string
	odd     bool
}

var (
	// invisibles find words in characters that show nothing.
	invisibles = []finder{{Invisible, tagged, false}, {Invisible, selected, false}, {Invisible, binaryBlanks, false}}
	// codings find bytes of any kind, words or not.
	codings = []finder{
		{Encoded, base64s, false},
		{Encoded, base32s, false},
		{Encoded, hexes, false},
		{Encoded, escapes, false},
		{Encoded, linked, false},
		{Encoded, untagged, false},
		{Encoded, numbers, false},
	}
	// outgoing are those whose findings are read as data.
	outgoing = slices.Concat(invisibles, codings)
)

// finders are all ways, in the order in which they are tried.
var finders = slices.Concat(invisibles, []finder{
	{Hidden, unseen, false},
	{Hidden, comments, false},
	{Hidden, captions, false},
}, codings, []finder{
	{Encoded, misspelt, false},
	{Encoded, unhyphened, false},
	{Encoded, shifted, false},
	{Encoded, backwards, true},
	{Encoded, leet, false},
	{Encoded, leetWords, true},
	{Encoded, spaced, true},
	{Encoded, morse, true},
	{Encoded, masked, true},
	{Encoded, styled, true},
	{Encoded, riddled, true},
})

// Decoded gives what a text holds in encodings and in characters that show nothing: for those who must judge the data
// that a text carries, whichever way it goes. Ciphers and misspelt words are not undone: they hide sentences, not data.
func Decoded(text string) (parts []string) {
	for _, v := range viewsBy(outgoing, prefix(text, most))[1:] {
		parts = append(parts, v.text)
	}
	return parts
}

// Smuggled says whether a text carries words in characters that show nothing.
func Smuggled(text string) bool {
	for _, v := range insideBy(invisibles, view{text: prefix(text, most)}) {
		if letters(v.text) >= 6 {
			return true
		}
	}
	return false
}
