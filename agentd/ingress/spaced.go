package ingress

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// spacedRun is a row of single letters with the same kind of sign between them.
var spacedRun = lazyre.MustCompile(`(?:[\pL\d][ \t]{1,4}){6,}[\pL\d]|(?:[\pL\d][.\-_*|/·•,~+][ \t]{0,3}){2,}[\pL\d]|(?:[\pL\d][ \t]?\r?\n){6,}[\pL\d]`)

// spaced joins letters that were pulled apart, and finds the words again.
func spaced(s string) (found []string) {
	s = fold(s)
	if !apart(s) {
		return nil
	}
	for _, m := range spacedRun.FindAllString(s, 100) {
		found = append(found, together(m))
	}
	return joined(found)
}

// together joins the letters of a row. Blanks that are wider than the others part its words; where all are alike, words
// are found by what they mean.
func together(row string) string {
	parts := strings.Split(wideBlank.ReplaceAllString(row, "\x00"), "\x00")
	for i, part := range parts {
		parts[i] = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, part)
	}
	if len(parts) < 2 || slices.Max(lengths(parts)) < 2 {
		return segments(strings.Join(parts, ""))
	}
	return strings.Join(parts, " ")
}

func lengths(parts []string) (all []int) {
	for _, p := range parts {
		all = append(all, len(p))
	}
	return all
}

// wideBlank stands between words whose letters one blank parts.
var wideBlank = lazyre.MustCompile(`[ \t]{2,}`)

// apart says cheaply whether a text can hold letters that were pulled apart: several words of one letter in a row.
func apart(s string) bool {
	row, before := 0, 0
	for _, p := range parted(s) {
		between := s[before:p.from]
		before = p.to
		if _, n := utf8.DecodeRuneInString(s[p.from:p.to]); n < p.to-p.from {
			row = 0
			continue
		}
		if row++; row >= 4 || row >= 2 && !strings.ContainsAny(between, " \n") {
			return true
		}
	}
	return strings.Contains(s, "_") && underscored.MatchString(s)
}

// underscored is letters with underscores between, which count as one word.
var underscored = lazyre.MustCompile(`(?:[\pL\d]_){3}`)
