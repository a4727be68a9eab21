package redact

import (
	"bytes"
	"strings"
)

// wordy says whether v is made of words: a name, a path, a sentence without spaces.
func wordy(v []byte) bool {
	in, row, vowels, cluster, odd := 0, 0, 0, 0, false
	flush := func() {
		if row >= 3 && vowels > 0 && 6*vowels >= row && !odd {
			in += row
		}
		row, vowels, cluster, odd = 0, 0, 0, false
	}
	for i, c := range v {
		if !isLetter(c) || class[c]&clsUpper != 0 && i > 0 && class[v[i-1]]&clsLower != 0 {
			flush()
		}
		if isLetter(c) {
			row++
			if strings.IndexByte("aeiouyAEIOUY", c) >= 0 {
				vowels++
				cluster = 0
			} else if cluster++; cluster >= 5 {
				odd = true
			}
			if row > 1 && oddPair(v[i-1]|0x20, c|0x20) {
				odd = true
			}
		}
	}
	flush()
	digits, rows := 0, 0
	for i, c := range v {
		if isDigit(c) {
			digits++
			if i == 0 || !isDigit(v[i-1]) {
				rows++
			}
		}
	}
	if jumbled(v) || len(v) <= 24 && digits > 0 && bytes.ContainsAny(bytes.TrimLeft(v, "*+"), "!#$%^*?~=+") {
		return false
	}
	tiny, parts := 0, wordsOf(v)
	for _, w := range parts {
		if len(w) <= 2 {
			tiny++
		}
	}
	if tiny >= 3 && digits > 0 && len(v) <= 24 && mixedCase(v) {
		return false
	}
	if (rows >= 3 || tiny >= 3) && !bytes.ContainsAny(v, "-_/. ") {
		return false // numbers and single letters do not stand all over words
	}
	return in*10 >= (len(v)-strings.Count(string(v), "-")-strings.Count(string(v), "_")-strings.Count(string(v), "/")-strings.Count(string(v), "."))*7 && digits*5 <= len(v)
}

// letters says whether v is a word or words joined by hyphens.
func letters(v []byte) bool {
	for _, c := range v {
		if !isLetter(c) && c != '-' && c != '_' && c < 0x80 {
			return false
		}
	}
	return true
}

func mixedCase(v []byte) bool {
	var up, low bool
	for i, c := range v {
		up = up || i > 0 && class[c]&clsUpper != 0
		low = low || class[c]&clsLower != 0
	}
	return up && low
}

func hasDigit(v []byte) bool {
	for _, c := range v {
		if isDigit(c) {
			return true
		}
	}
	return false
}
