package redact

import (
	"bytes"
	"strings"
)

// maxJudged is how many bytes of a value are looked at: what is longer is judged by its beginning.
const maxJudged = 256

// judge says whether a value is a secret, and reports it.
func judge(text, name []byte, how strength, v value, add func(span)) bool {
	v, ok := v.bare(text, how)
	if !ok {
		return false
	}
	b := text[v.start:min(v.end, v.start+maxJudged)]
	if how == weak || how == token || how == loose {
		if k := userPart(name, b); k > 0 {
			v.start, b, how = v.start+k, b[k:], password
		}
	}
	if v.open(name, b, how) || v.forgiven(text, b) || v.quoted && hasFold(text[max(0, v.start-7):], " type=") {
		return false // an attribute says of what kind the value is
	}
	if how == pin && among("#*", b[len(b)-1]) && isDigits(b[:len(b)-1]) {
		v.end, b = v.end-1, b[:len(b)-1] // what is pressed behind it
	}
	if v.quoted && (how >= token && how != pin || how == weak && variableName(name)) && noisy(b) {
		add(span{v.start, v.end, -1, how.kind()})
		return true
	}
	if !v.secret(text, name, b, how) {
		return false
	}
	if how == password {
		v = v.emphatic(text)
		successor(text, v, add)
	}
	add(span{v.start, v.end, -1, how.kind()})
	return true
}

// userPart is the length of the name and colon with which a value begins that holds both for a server, or 0.
func userPart(name, b []byte) int {
	k := bytes.IndexByte(b, ':')
	if slash := bytes.IndexByte(b, '/'); k < 0 && slash > 0 && slash <= 16 && !mixedCase(b[:slash]) && bytes.HasSuffix(name, []byte("_AUTH")) {
		k = slash
	}
	if k < 2 || !identifier(b[:k]) || !coined(b[k+1:]) {
		return 0
	}
	for _, w := range wordsOf(name) {
		if w == "auth" || w == "basic" || w == "basicauth" || w == "credentials" || w == "login" {
			return k + 1
		}
	}
	return 0
}

// bare is v without what stands before or behind a secret and is none of it: a scheme, escaped quotes, what a comma parts.
func (v value) bare(text []byte, how strength) (value, bool) {
	b := text[v.start:min(v.end, v.start+maxJudged)]
	if len(b) < 3 || placeholder(b) || b[0] == '\\' && len(b) <= 6 {
		return v, false
	}
	if how < password && strings.IndexByte(" \t", b[0]) < 0 {
		if k := bytes.IndexByte(b, ' '); k > 0 && isScheme(b[:k]) {
			v.start += k + 1
			b = bytes.TrimSpace(text[v.start:min(v.end, v.start+maxJudged)])
			if len(b) < 3 || placeholder(b) {
				return v, false
			}
		}
	}
	if n := len(b); n > 4 && v.quoted && bytes.HasPrefix(b, []byte(`\"`)) && bytes.HasSuffix(b, []byte(`\"`)) {
		v.start, v.end, b = v.start+2, v.end-2, b[2:n-2]
	}
	if k := bytes.IndexByte(b, ','); k >= 16 && how < password && !v.quoted {
		v.end = v.start + k // tokens have none
	}
	return v, true
}

// open says whether a value is known not to be secret, whatever it looks like: a word for a kind of value or a state, the
// name of something, what everybody may know.
func (v value) open(name, b []byte, how strength) bool {
	low := strings.ToLower(string(b))
	switch {
	case genericValue[strings.TrimLeft(low, "&*")], openValue(low), len(b) <= 40 && digestLike(b) && strings.EqualFold(string(name), "signingkey"):
		return true
	case genericValue[low], statusWords[low], !v.quoted && reference(b), !v.quoted && naming(b) && identifier(b), !v.quoted && !v.tight && countedName(name, b), b[0] == '^' && bytes.HasSuffix(b, []byte("$")):
		return true
	case !v.quoted && (among(")]}", b[0]) || minified(b)), sameName(name, b):
		return true
	case how == weak && naming(b) && identifier(b), how == pin && (len(b) >= 40 && digestLike(b) || hasFold(b, "sha256/")):
		return true
	case how < password && shortened(b), how == weak && hasFold(name, "x-") && bytes.HasPrefix(b, []byte("WyI")): // a list in a header of mail
		return true
	case printedWord(b), len(b) > 7 && string(b[3:7]) == "/AV:", v.sealed(b):
		return true
	}
	return v.comma && how < token && !machineMade(b)
}

// forgiven says whether an unquoted value is nothing that a program promises to be something later, = null!;, or an
// expression that chooses between two texts.
func (v value) forgiven(text, b []byte) bool {
	if v.quoted || v.end >= len(text) {
		return false
	}
	if n := len(b) - 1; b[n] == '?' && among("\"'", text[v.end]) {
		return reference(b[:n])
	}
	return text[v.end] == ';' && (string(b) == "null!" || string(b) == "default!")
}

// shortened says whether b is the beginning and the end of what a machine made, with dots for what was left out.
func shortened(b []byte) bool {
	for _, dots := range []string{"...", "…"} {
		if k := bytes.Index(b, []byte(dots)); k >= 0 && k <= 16 {
			tail := bytes.TrimLeft(b[k+len(dots):], ".")
			return len(tail) <= 8 && (k == 0 || identifier(bytes.TrimLeft(b[:k], "0123456789")) || isDigits(b[:k])) && rowOf(tail, 0, len(tail))
		}
	}
	return false
}

// sealed says whether b begins what only a cluster can open: it is made to be shown. It holds a key of 4096 bits.
func (v value) sealed(b []byte) bool {
	return v.end-v.start >= 680 && b[0] == 'A' && b[1] == 'g' && among("ABCD", b[2])
}

// secret says whether a value is as a name of this strength promises.
func (v value) secret(text, name, b []byte, how strength) bool {
	switch how {
	case password:
		return v.isPassword(text, name, b)
	case pin:
		return isPin(b) && (len(b) > 3 || cardCode(name)) || base32Seed(b) || len(b) >= 16 && machineMade(b) || len(b) >= 8 && solid(b) && randomish(b) && !(v.prose && !v.quoted)
	case token:
		return v.isToken(b) || v.chosenSecret(name, b)
	case weak:
		return v.isKey(name, b)
	case loose:
		return len(b) >= 20 && byNature(b) && entropy(b) >= 3.7
	}
	return false
}

// isKey judges what stands under a name that need not be that of a secret.
func (v value) isKey(name, b []byte) bool {
	if variableName(name) && (v.tight && uuidAt(b) || len(b) >= 32 && (v.tight || v.quoted) && digestLike(b)) {
		return true
	}
	if v.quoted && len(b) == 32 && digestLike(b) && string(name) == "auth" {
		return true // a session, as interfaces over JSON give it
	}
	return (len(b) >= 20 || len(b) >= 10 && (v.quoted || !identifier(b))) && byNature(b) && entropy(b) >= 3.3
}

// byNature says whether b can only come from a machine, and is no name of something in a form that machines give too.
func byNature(b []byte) bool {
	return solid(b) && randomish(b) && !uuidAt(b) && !digestLike(b) && !structured(b) && !digestTail(b)
}

// variableName says whether name is that of a variable of the environment for a key of something.
func variableName(name []byte) bool {
	for _, c := range name {
		if c != '_' && class[c]&(clsUpper|clsDigit) == 0 {
			return false
		}
	}
	return bytes.HasSuffix(name, []byte("_KEY"))
}

// countedName says whether b is a name with a number, as programs call the second of something: Password: password2.
func countedName(name, b []byte) bool {
	n := len(bytes.TrimRight(b, "0123456789"))
	return n >= 6 && n < len(b) && class[name[0]]&clsUpper != 0 && class[b[0]]&clsLower != 0 && bytes.EqualFold(name, b[:n])
}

// openValue says whether a value shows itself that everybody may know it.
func openValue(low string) bool {
	for _, p := range []string{"phc_", "pk_live_", "pk_test_", "pk_prod_", "age1", "ssh-"} {
		if strings.HasPrefix(low, p) && !strings.HasPrefix(low, "ssh-key") {
			return true
		}
	}
	return false
}

func isScheme(b []byte) bool {
	for _, s := range schemes {
		if strings.EqualFold(string(b), s) {
			return true
		}
	}
	return false
}

// isToken judges what a machine made.
func (v value) isToken(b []byte) bool {
	if hexNumber(b) || namedFile(b) || isDigits(b) && len(b) < 16 && !v.quoted {
		return false
	}
	if k := bytes.IndexByte(b, '='); k > 1 && len(b)-k > 4 && identifier(b[:k]) && letters(b[k+1:]) && wordy(b[k+1:]) || v.comma && !strongWord(b) && !machineMade(b) {
		return false
	}
	if !solid(b) || len(b) < 8 || linkish(b) && (wordy(b) || bytes.ContainsAny(b, ".:")) {
		return false
	}
	if digestLike(b) || uuidAt(b) || len(b) >= 16 && digitsAt(b, 0) == len(b) && hasDigit(b) && varied(b) {
		return true
	}
	if len(b) < 16 {
		return !wordy(b) && !dateLike(b) && (hasDigit(b) && mixed(b) || v.quoted && mixed(b) && !letters(b))
	}
	return randomish(b) && (v.quoted || !reference(b) && (!structured(b) || b[0] == '/'))
}
