package redact

import (
	"bytes"
	"strings"
)

// reference says whether an unquoted value is an expression of a program and not a text.
func reference(v []byte) bool {
	if i := bytes.IndexAny(v, "([{"); i > 0 && identifier(bytes.TrimLeft(v[:i], "&*!@$[]")) {
		return true
	}
	if bytes.Contains(v, []byte("::")) || bytes.Contains(v, []byte("->")) || bytes.HasPrefix(v, []byte("!")) && identifier(v[1:]) && !hasDigit(v) {
		return true
	}
	if v[0] == '@' && identifier(v[1:]) && !hasDigit(v) && !mixedCase(v[1:]) {
		return true // an array
	}
	if k := bytes.IndexByte(v, '*'); k > 0 && isDigits(v[:k]) && identifier(v[k+1:]) && !hasDigit(v[k+1:]) {
		return true // so many times something
	}
	if v[0] == '(' && len(v) > 2 && identifier(v[1:]) && !hasDigit(v) {
		return true
	}
	if bytes.HasPrefix(v, []byte("[]")) || v[0] == '[' && bytes.IndexByte(v, '(') > 0 {
		return true
	}
	v = bytes.TrimLeft(v, "&*@+")
	if typeName(v) {
		return true
	}
	if dot := bytes.IndexByte(v, '.'); dot > 0 && identifier(v) && !jumbled(v) && (!hasDigit(v) || naming(v) && wordy(v)) {
		return true
	}
	return identifier(v) && naming(v)
}

// minified says whether an unquoted value is what is left of a program without blanks: a boolean, or an expression before
// the end of its statement, or the end of a pattern that takes an object apart.
func minified(v []byte) bool {
	if len(v) >= 2 && v[0] == '!' && (v[1] == '0' || v[1] == '1') && (len(v) == 2 || !isWord(v[2])) {
		return true
	}
	if k := bytes.Index(v, []byte("}=")); k > 0 && k <= 2 && identifier(v[:k]) {
		return true
	}
	k := bytes.IndexByte(v, ';')
	return k > 0 && reference(v[:k])
}

// sameName says whether a value is its own name, but for signs and capitals.
func sameName(name, v []byte) bool {
	strip := func(b []byte) []byte {
		return bytes.Map(func(r rune) rune {
			if r == '_' || r == '-' || r == '.' {
				return -1
			}
			return r
		}, b)
	}
	return len(v) > 8 && identifier(v) && bytes.EqualFold(strip(name), strip(v))
}

// naming says whether an identifier speaks of a secret itself: it is the name of one.
func naming(v []byte) bool {
	words := wordsOf(v)
	if len(words) == 1 && !genericValue[words[0]] || len(words) >= 5 && len(v) < 3*len(words) {
		return false
	}
	for _, w := range words {
		w = unsized(w)
		if w == "password" || w == "passwd" || w == "token" || w == "secret" || w == "key" || w == "pwd" || w == "apikey" || w == "passphrase" || w == "credentials" || w == "salt" || w == "pass" {
			return !hasDigit(v) || len(words) > 1 && !mixedDigits(words)
		}
	}
	return false
}

// ciphers are names of algorithms and formats with a number in them, as names of keys have.
var ciphers = set(`p224 p256 p384 p521 ed25519 x25519 ed448 x448 curve25519 secp256k1 secp256r1 sha1 sha224 sha256 sha384 sha512 md5 md4
	es256 es384 rs256 hs256 ps256 x509 pkcs1 pkcs7 pkcs8 pkcs12 k8s s3 ec2 base64 base32 oauth2 utf8 v4 chacha20 poly1305 argon2`)

// unsized is a word without the size in bits that stands behind it: rsa2048, key1024.
func unsized(w string) string {
	for _, bits := range []string{"128", "192", "256", "384", "512", "768", "1024", "2048", "3072", "4096"} {
		if rest, ok := strings.CutSuffix(w, bits); ok && rest != "" {
			return rest
		}
	}
	return w
}

// mixedDigits says whether digits stand within the words of a name, and not as one of them.
func mixedDigits(words []string) bool {
	for _, w := range words {
		if w = unsized(w); ciphers[w] {
			continue
		}
		if hasDigit([]byte(w)) && !numeral(w) && len(strings.TrimRight(w, "0123456789")) != len(w)-1 {
			return true
		}
	}
	return false
}

func identifier(v []byte) bool {
	if len(v) == 0 || isDigit(v[0]) {
		return false
	}
	for _, c := range v {
		if !isWord(c) && c != '.' && c != '-' {
			return false
		}
	}
	return true
}
