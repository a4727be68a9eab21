package redact

import "bytes"

// dateLike says whether v is a date, a version, a number, an address: digits and signs with at most few letters.
func dateLike(v []byte) bool {
	letters := 0
	for _, c := range v {
		if isLetter(c) {
			letters++
		}
	}
	return letters*8 < len(v) && bytes.ContainsAny(v, ".:-/,+") || letters == 0 && len(v) < 20
}

// uuidAt says whether v is a UUID.
func uuidAt(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, c := range v {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isHex(c) {
			return false
		}
	}
	return true
}

// digestTail says whether b is words and a digest with hyphens between them, as caches and artifacts are called.
func digestTail(b []byte) bool {
	k := bytes.LastIndexByte(b, '-')
	if k < 3 || len(b)-k <= 32 || !digestLike(b[k+1:]) || bytes.IndexByte(b[:k], '-') < 0 {
		return false
	}
	for part := range bytes.SplitSeq(b[:k], []byte{'-'}) {
		if len(part) > 12 || len(part) > 6 && hasDigit(part) {
			return false
		}
	}
	return true
}

// digestLike says whether v has the form of a digest: as many hexadecimal digits as one has.
func digestLike(v []byte) bool {
	switch len(v) {
	case 7, 8, 10, 12, 16, 32, 40, 56, 64, 96, 128:
	default:
		return false
	}
	for _, c := range v {
		if !isHex(c) {
			return false
		}
	}
	return true
}
