package channel

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Split makes of a text several of at most `most` UTF-16 units, as messengers count: between paragraphs if it can, else between lines,
// else between words. No link is torn, and code that goes on in the next part is marked as code there again. 0: no limit.
func Split(text string, most int) []string {
	if most <= 0 || units(text) <= most {
		return []string{text}
	}
	var parts []string
	fence := "" // that the rest stands in
	for units(text) > most {
		head, rest, opened := cutOff(text, most)
		if units(opened) > maxFence { // a line that begins code and is longer than a language's name would be repeated for ever
			opened = "```"
		}
		if opened != "" && units(opened)+1+units(rest) >= units(text) {
			opened = "" // no part would make it shorter
		}
		if opened != "" {
			head += "\n```"
			rest = opened + "\n" + rest
		}
		parts, text, fence = append(parts, head), rest, opened
	}
	if strings.TrimSpace(strings.TrimPrefix(text, fence)) != "" {
		parts = append(parts, text)
	}
	return parts
}

// maxFence is how many UTF-16 units of the line that begins code are said again in the next part.
const maxFence = 40

func units(s string) (n int) {
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// links are what a cut must not tear although there may be spaces in it.
var links = regexp.MustCompile(`\[[^\]\n]{0,200}\]\([^)\s]+\)`)

// cutOff takes the first part off a text that is too long. opened is the line that began the code in which the cut stands, if it does.
func cutOff(text string, most int) (head, rest, opened string) {
	end := fits(text, most-len("\n```"))
	cut := goodCut(text[:end])
	for _, at := range links.FindAllStringIndex(text, -1) {
		if at[0] < cut && cut < at[1] && at[0] > 0 {
			cut = at[0]
		}
	}
	head, rest = text[:cut], strings.TrimLeft(text[cut:], " \n")
	opened = openFence(head)
	if opened != "" && strings.TrimSpace(strings.TrimPrefix(head, opened)) == "" { // a fence and nothing in it would go on for ever
		cut = end
		head, rest = text[:cut], text[cut:]
	}
	if opened != "" && strings.HasPrefix(rest, "```") { // it ends at the cut anyway
		_, rest, _ = strings.Cut(rest, "\n")
		return strings.TrimRight(head, " \n") + "\n```", strings.TrimLeft(rest, "\n"), ""
	}
	return strings.TrimRight(head, " \n"), rest, opened
}

// goodCut is the best place to end in the last two thirds of a text.
func goodCut(s string) int {
	for _, between := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(s, between); i > len(s)/3 {
			return i + len(between)
		}
	}
	return len(s)
}

// fits is how many bytes of a text are at most so many units, without tearing what is seen as one sign.
func fits(s string, most int) int {
	n, at := 0, 0
	for i, r := range s {
		if n += max(utf16.RuneLen(r), 1); n > most {
			break
		}
		at = i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			at = i + 1
		}
	}
	for i := at; i > 0 && at-i < 64; { // back to where a sign begins
		next, _ := utf8.DecodeRuneInString(s[i:])
		prev, n := utf8.DecodeLastRuneInString(s[:i])
		if !joins(next) && prev != '\u200d' {
			return i
		}
		i -= n
	}
	return max(at, 1)
}

// What changes the sign before it beside marks: tones of skin, and the tags of flags.
var (
	tones = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}}}
	tags  = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0xe0020, Hi: 0xe007f, Stride: 1}}}
)

// joins says whether a character belongs to the one before it.
func joins(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Variation_Selector, unicode.Join_Control, tones, tags)
}

// openFence is the line of the fence that is open at the end of a text; empty: none is.
func openFence(s string) (open string) {
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "```"):
		case open == "":
			open = line
		default:
			open = ""
		}
	}
	return open
}
