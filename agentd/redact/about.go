package redact

import "bytes"

// aboutWords make of a name that of something about a secret.
var aboutWords = set(`fingerprint fingerprints thumbprint method length lengths size count counts limit limits type types policy policies hint hints url uri name names arn expiry ttl format strength
	rule rules field fields prompt label labels version manager requirements lifetime usage budget rotation complexity history endpoint validity expires expired`)

// about says whether the word behind the name that ends at i shows that what follows is no secret but about one.
func about(text []byte, i int) bool {
	if i+2 >= len(text) || text[i] != ' ' || !isLetter(text[i+1]) {
		return false
	}
	stop := i + 1
	for stop < len(text) && stop < i+14 && isLetter(text[stop]) {
		stop++
	}
	if stop < len(text) && text[stop] == '=' {
		return false // an attribute
	}
	var small [14]byte
	for k, c := range text[i+1 : stop] {
		small[k] = c | 0x20
	}
	if hasFold(text[i+1:], "type ") && strongWord(text[i+6:wordAt(text, i+6).end]) {
		return false // what somebody is to do
	}
	return aboutWords[string(small[:stop-i-1])]
}

// catalogued says whether the word "clave" that ends at i is that of a number in a list that everybody has: clave SAT.
func catalogued(text []byte, i int) bool {
	if i < 5 || i >= len(text) || text[i] != ' ' || !hasFold(text[i-5:], "clave") {
		return false
	}
	if k := i + len(" sat"); hasFold(text[i:], " sat") {
		return digitsAt(text, skipAny(text, k, 4, " :")) == 8 // what is more than a number opens the door of the office
	}
	for _, w := range []string{" de rastreo", " de elector", " de pedido", " de artículo", " del artículo", " de articulo", " del articulo", " de país", " de catál"} {
		if hasFold(text[i:], w) {
			return true
		}
	}
	return false
}

// summedWords stand, with a stroke, before the name of a file of which a digest follows: checksum/secret.
var summedWords = set(`checksum checksums digest digests`)

// inName says whether what begins at i is part of the name of a resource of a cloud, whose parts have colons between
// them, of a digest, or of a mark.
func inName(text []byte, i int) bool {
	if i > 0 && text[i-1] == '/' && summedWords[wordBehind(text, i)] {
		return true
	}
	if i == 0 || text[i-1] != ':' {
		return false
	}
	if i > 3 && hasFold(text[i-4:], "did:") || bytes.HasSuffix(text[:i], []byte("[REDACTED:")) || bytes.HasSuffix(text[:i], []byte("[SECRET:")) {
		return true
	}
	low := max(0, i-160)
	for k := i; k > low && text[k-1] > ' ' && text[k-1] != '"' && text[k-1] != '\''; k-- {
		if hasFold(text[k-1:], "arn:") || bytes.HasPrefix(text[k-1:], []byte("AWS::")) {
			return true
		}
	}
	return false
}
