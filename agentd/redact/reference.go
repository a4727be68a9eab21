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
// the end of its statement.
func minified(v []byte) bool {
	if len(v) >= 2 && v[0] == '!' && (v[1] == '0' || v[1] == '1') && (len(v) == 2 || !isWord(v[2])) {
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
		if w == "password" || w == "passwd" || w == "token" || w == "secret" || w == "key" || w == "pwd" || w == "apikey" || w == "passphrase" || w == "credentials" || w == "salt" || w == "pass" {
			return !hasDigit(v) || len(words) > 1 && !mixedDigits(words)
		}
	}
	return false
}

// mixedDigits says whether digits stand within the words of a name, and not as one of them.
func mixedDigits(words []string) bool {
	for _, w := range words {
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
