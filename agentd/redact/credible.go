package redact

import "bytes"

// credible says whether what has the form of a credential can be one: no placeholder, no name, no row of the same signs.
func credible(v []byte, f format) bool {
	v = bytes.TrimPrefix(v, []byte("https://")) // an address as a whole
	tail := v
	if f.back == 0 && len(v) > len(f.word) && hasFold(v, f.word) {
		tail = v[len(f.word):]
	}
	if f.chance && !byChance(tail) {
		return false
	}
	return !placeholder(v) && (varied(tail) || f.kind == "age-secret-key") && (hasDigit(tail) || dense(tail) || !wordy(tail) || !said(tail))
}

// byChance says whether only chance can have put these characters together.
func byChance(v []byte) bool {
	return mixedCase(v) && (hasDigit(v) && !wordy(v) && !structured(v) || jumbled(v) || dense(v))
}

// said says whether every part of v that begins with a capital could be a word.
func said(v []byte) bool {
	for _, w := range wordsOf(v) {
		if !wordy([]byte(w)) {
			return false
		}
	}
	return true
}

// dense says whether letters without a break are no words although they can be said: long and all capitals, or capitals all
// over. Random ones have no digit now and then.
func dense(v []byte) bool {
	upper, turns := 0, 0
	for i, c := range v {
		if !isLetter(c) {
			return false
		}
		if class[c]&clsUpper == 0 {
			continue
		}
		upper++
		if i > 0 && class[v[i-1]]&clsLower != 0 {
			turns++
		}
	}
	return len(v) >= 16 && (upper == len(v) || 5*turns >= len(v))
}
