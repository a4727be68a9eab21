package redact

import "bytes"

// maxAhead is how far ahead the end of a line is looked for: text without line ends must not be read to its end for each word
// of it.
const maxAhead = 4 * maxForm

// lineEnd is where the line ends at or after i, or maxAhead behind it.
func lineEnd(text []byte, i int) int { return wholeLine(text[:max(min(len(text), i+maxAhead), 0)], i) }

// lineStart is where the line begins that i stands in, or maxForm before it.
func lineStart(text []byte, i int) int {
	low := max(0, i-maxForm)
	return low + bytes.LastIndexByte(text[low:i], '\n') + 1
}

// wholeLine is the offset of the line's end at or after i.
func wholeLine(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	if k := bytes.IndexByte(text[i:], '\n'); k >= 0 {
		return i + k
	}
	return len(text)
}

// wordEnd is where the word ends that begins at i, or limit.
func wordEnd(text []byte, i, limit int) int {
	for i < limit && text[i] > ' ' {
		i++
	}
	return i
}

// mentions says whether one of some words, in small letters, stands in what is near.
func mentions(near []byte, words ...string) bool {
	low := bytes.ToLower(near)
	for _, w := range words {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	return false
}
