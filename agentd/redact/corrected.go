package redact

import (
	"bytes"
	"strings"
)

// insteadWords stand between what was written by mistake and what is meant.
const insteadWords = ` sondern | but | mais | sino | bensì | maar | utan | ale | tylko | а | men `

// corrected finds the two words of a correction when they are nearly the same and both put together as passwords are.
func corrected(text []byte, i, n int, add func(span)) {
	w := wordAt(text, i+n).emphatic(text)
	start := wordStart(text, i)
	v := value{start: start, end: i, prose: true}
	for v.end > v.start && among(",.;\"'`", text[v.end-1]) {
		v.end--
	}
	before, after := text[v.start:v.end], text[w.start:w.end]
	if !coined(before) || !coined(after) || !capitalWord(before) || !capitalWord(after) || !misspelt(text, i, wordPart(before), wordPart(after)) {
		return
	}
	add(span{v.start, v.end, -1, kindPassword})
	add(span{w.start, w.end, -1, kindPassword})
}

// capitalWord says whether b is a word with a capital and a number that is the name of no machine.
func capitalWord(b []byte) bool {
	word := strings.TrimRight(strings.ToLower(string(b)), "0123456789!?#$*")
	return class[b[0]]&clsUpper != 0 && len(word) >= 5 && letters([]byte(word)) && !machineWords[word]
}

// wordPart is what stands before the number of such a word.
func wordPart(b []byte) []byte { return bytes.TrimRight(b, "0123456789!?#$*") }

// misspelt says whether two words are one with a mistake in it, or the line speaks of a mistake and they are the same.
func misspelt(text []byte, i int, before, after []byte) bool {
	return alike(before, after) || bytes.Equal(before, after) && mentions(text[max(lineStart(text, i), i-120):i], "typo", "tippfehler", "vertipp", "sorry", "faute", "error", "fout", "błąd", "опечат", "refuso", "stavfel", "slåfeil")
}

// alike says whether two words differ in the spelling of their letters only.
func alike(a, b []byte) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	head, tail := 0, 0
	for head < len(a) && a[head] == b[head] {
		head++
	}
	for tail < len(a)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head >= 1 && head+tail >= 4 && len(b)-head-tail >= 1 && len(b)-head-tail <= 4 && len(b)-len(a) <= 2
}
