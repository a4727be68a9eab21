package redact

import "bytes"

// strongWord says whether a word of a sentence can only be a password or a token: no word, name, number or date looks so.
func strongWord(b []byte) bool {
	if chaotic(b) {
		return !placeholder(b)
	}
	if len(b) < 8 || len(b) > maxQuoted || !hasDigit(b) || named(b) || product(b) || placeholder(b) || dateLike(b) || ordinal(b) || linkish(b) || uuidAt(b) || digestLike(b) || reference(b) || structured(b) {
		return false
	}
	if bytes.IndexByte(b, '@') > 0 && bytes.IndexByte(b, '.') > 0 || bytes.ContainsAny(b, "()<>[]{}|\"`") || bytes.HasPrefix(b, []byte("0x")) {
		return false
	}
	return randomish(b) && (mixedCase(b) || bytes.ContainsAny(b, "!#$%^&*?~"))
}

// chaotic says whether letters stand together as only chance puts them: capitals here and there, and parts that nobody
// could say.
func chaotic(b []byte) bool {
	if len(b) < 10 || len(b) > 64 {
		return false
	}
	turns := 0
	for i, c := range b {
		if !isLetter(c) {
			return false
		}
		if i > 0 && class[c]&clsUpper != 0 && class[b[i-1]]&clsLower != 0 {
			turns++
		}
	}
	return turns >= 2 && !said(b)
}

// machineMade says whether b cannot be a word, a name or a number, whatever its alphabet.
func machineMade(b []byte) bool {
	switch {
	case hexNumber(b), named(b), digestTail(b):
		return false
	case placeholder(b) || linkish(b) || reference(b) && !jumbled(b) || structured(b) || !solid(b):
		return false
	case digestLike(b) && len(b) >= 32, uuidAt(b), bytes.HasPrefix(b, []byte("0x")) && digestLike(b[2:]) && len(b) == 66:
		return true
	}
	return hasDigit(b) && !dateLike(b) && randomish(b) && entropy(b) >= 3.3 && longestRun(b) >= 16
}

// named says whether b begins with a name and a sign, so that the value is only what stands behind them.
func named(b []byte) bool {
	k := bytes.IndexAny(b, ":=")
	return k > 0 && k < len(b)-2 && b[k+1] != '=' && identifier(b[:k]) && (wordy(b[:k]) || k >= 4 && !hasDigit(b[:k]) && !chaotic(b[:k]))
}

// hexNumber says whether b is a number in hexadecimal digits, or an address: no key has its length.
func hexNumber(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("-"))
	return bytes.HasPrefix(b, []byte("0x")) && digitsAt(b, 2) == len(b)-2 && len(b) != 66
}

// loudWord is a word that goes from letters to digits and ends with a sign: what people make of a word to please a policy.
func loudWord(text []byte, start, stop int) (value, bool) {
	for stop > start && among(".,;:)\"'", text[stop-1]) {
		stop--
	}
	if stop-start < 8 || !among("!?$#*+", text[stop-1]) || !isDigit(text[stop-2]) || !isDigit(text[stop-3]) {
		return value{}, false
	}
	word := bytes.TrimRight(text[start:stop-1], "0123456789")
	return value{start: start, end: stop, prose: true}, len(word) >= 3 && letters(word) && class[word[0]]&clsUpper != 0 && !product(text[start:stop])
}
