package redact

import "bytes"

// dateLike says whether v is a date, a version, a number, an address: digits and signs with at most few letters, or the
// version of a package.
func dateLike(v []byte) bool {
	letters := 0
	for _, c := range v {
		if isLetter(c) {
			letters++
		}
	}
	return letters*8 < len(v) && bytes.ContainsAny(v, ".:-/,+") || letters == 0 && len(v) < 20 || release(v)
}

// release says whether v is the version of a package: 1:4.13+dfsg1-1+deb12u1, 2.36-9.
func release(v []byte) bool {
	if k := bytes.IndexByte(v, ':'); k > 0 && isDigits(v[:k]) {
		v = v[k+1:]
	}
	dot := bytes.IndexByte(v, '.')
	if dot < 1 || dot > 4 || dot+1 == len(v) || !isDigits(v[:dot]) || !isDigit(v[dot+1]) {
		return false
	}
	for _, c := range v {
		if class[c]&(clsLower|clsDigit) == 0 && !among(".+-~:", c) {
			return false
		}
	}
	return true
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
