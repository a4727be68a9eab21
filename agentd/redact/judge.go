package redact

import (
	"bytes"
	"strings"
)

// maxJudged is how many bytes of a value are looked at: what is longer is judged by its beginning.
const maxJudged = 256

// judge says whether a value is a secret, and reports it.
func judge(text, name []byte, how strength, v value, add func(span)) bool {
	b := text[v.start:min(v.end, v.start+maxJudged)]
	if len(b) < 3 || placeholder(b) || b[0] == '\\' && len(b) <= 6 {
		return false
	}
	if how < password && strings.IndexByte(" \t", b[0]) < 0 {
		if k := bytes.IndexByte(b, ' '); k > 0 && isScheme(b[:k]) {
			v.start += k + 1
			b = bytes.TrimSpace(text[v.start:min(v.end, v.start+maxJudged)])
			if len(b) < 3 || placeholder(b) {
				return false
			}
		}
	}
	if n := len(b); n > 4 && v.quoted && bytes.HasPrefix(b, []byte(`\"`)) && bytes.HasSuffix(b, []byte(`\"`)) {
		v.start, v.end, b = v.start+2, v.end-2, b[2:n-2]
	}
	if k := bytes.IndexByte(b, ','); k >= 16 && how < password && !v.quoted {
		v.end, b = v.start+k, b[:k] // tokens have none
	}
	low := strings.ToLower(string(b))
	if genericValue[strings.TrimLeft(low, "&*")] || openValue(low) || len(b) <= 40 && digestLike(b) && strings.EqualFold(string(name), "signingkey") {
		return false
	}
	if genericValue[low] || statusWords[low] || !v.quoted && reference(b) || !v.quoted && naming(b) && identifier(b) {
		return false
	}
	if how == weak && naming(b) && identifier(b) || how == pin && len(b) >= 40 && digestLike(b) {
		return false
	}
	if v.comma && how < token && !machineMade(b) {
		return false
	}
	if how == pin && among("#*", b[len(b)-1]) && isDigits(b[:len(b)-1]) {
		v.end, b = v.end-1, b[:len(b)-1] // what is pressed behind it
	}
	if v.quoted && (how >= token && how != pin || how == weak && variableName(name)) && noisy(b) {
		add(span{v.start, v.end, -1, how.kind()})
		return true
	}
	ok, kind := false, kindToken
	switch how {
	case password:
		ok, kind = v.isPassword(text, name, b), kindPassword
	case pin:
		ok, kind = isPin(b) && (len(b) > 3 || cardCode(name)) || base32Seed(b) || len(b) >= 16 && machineMade(b) || len(b) >= 8 && solid(b) && randomish(b) && !(v.prose && !v.quoted), "pin"
	case token:
		ok = v.isToken(b) || v.chosenSecret(name, b)
	case weak:
		ok = len(b) >= 32 && (v.tight || v.quoted) && digestLike(b) && variableName(name) || (len(b) >= 20 || len(b) >= 10 && (v.quoted || !identifier(b))) && solid(b) && randomish(b) && !uuidAt(b) && !digestLike(b) && entropy(b) >= 3.3 && !structured(b) || v.tight && uuidAt(b) && variableName(name)
	case loose:
		ok = len(b) >= 20 && solid(b) && randomish(b) && !uuidAt(b) && !digestLike(b) && entropy(b) >= 3.7 && !structured(b)
	}
	if ok {
		if how == password {
			v = v.emphatic(text)
		}
		add(span{v.start, v.end, -1, kind})
	}
	return ok
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

// base32Seed says whether b has the alphabet and a length that seeds of one-time passwords have.
func base32Seed(b []byte) bool {
	for _, c := range b {
		if class[c]&clsUpper == 0 && (c < '2' || c > '7') {
			return false
		}
	}
	return len(b) >= 16 && len(b)%8 == 0 && varied(b)
}

// cardCode says whether a name is that of the three digits on the back of a card.
func cardCode(name []byte) bool { return hasFold(name, "cv") || hasFold(name, "pin") }

func isPin(b []byte) bool { return len(b) >= 3 && len(b) <= 10 && isDigits(b) }

// isPassword judges what a person may have chosen.
func (v value) isPassword(text, name, b []byte) bool {
	if bytes.IndexByte(b, ' ') >= 0 {
		return v.quoted && passphrase(b)
	}
	if len(b) < 4 || naming(b) && identifier(b) && !v.tight || strings.EqualFold(string(b), string(name)) {
		return false
	}
	switch {
	case isDigits(b) && measured(name), decimal(b), ownTag(b, name), strings.EqualFold(string(name), "pass") && !v.quoted && !v.tight && !hasDigit(b):
		return false
	case !v.quoted && (v.whole || v.prose) && hyphened(b):
		return true
	case bytes.HasPrefix(b, []byte("--")), !v.quoted && bytes.HasPrefix(b, []byte("0x")) && digitsAt(b, 2) == len(b)-2, v.comma && !(len(b) >= 6 && hasDigit(b) && !letters(b) || mixedCase(b) && !wordy(b)):
		return false
	case v.prose && v.quoted && text[v.start-1] == '`' && !hasDigit(b), v.prose && strings.EqualFold(string(name), "pass") && !(v.quoted && strongWord(b)) && !(hasDigit(b) && len(b) >= 8 && mixed(b) && !structured(b) && !wordy(b)):
		return false
	case v.prose && !v.quoted:
		return chaotic(b) || mixed(b) && (hasDigit(b) || bytes.ContainsAny(b, "!@#$%^&*+=?~")) && !dateLike(b) && !ordinal(b) && !linkish(b)
	case v.prose:
		return !letters(b) || len(b) >= 6 && !statusWords[strings.ToLower(string(b))]
	case v.quoted, v.flag:
		return !linkish(b) && !(isDigits(b) && len(b) < 4)
	case isDigits(b):
		return len(b) >= 4
	case letters(b) && b[0] < 0x80:
		if n := len(wordsOf(b)); len(b) >= 8 && mixedCase(b) && (!wordy(b) || n >= 4 && len(b) < 3*n) {
			return true
		}
		return v.plainWord(text, b)
	}
	return !linkish(b) && (b[0] != '/' || jumbled(b) || hasDigit(b) && mixedCase(b) && len(b) >= 12 && !structured(b)) && !ordinal(b) && (sayable(b) || !(structured(b) && wordy(b))) && !among("({[", b[0])
}

// hyphened says whether b is four words or more with hyphens between them, as generators of passphrases make them.
func hyphened(b []byte) bool {
	parts := strings.Split(string(b), "-")
	for _, p := range parts {
		low := strings.ToLower(p)
		if len(p) < 3 || !letters([]byte(p)) || proseWords[low] || statusWords[low] || genericValue[low] {
			return false
		}
	}
	return len(parts) >= 4
}

// sayable says whether b is words and a number with hyphens or underscores between them, as people make a password of them
// that they can say.
func sayable(b []byte) bool {
	parts := bytes.FieldsFunc(b, func(r rune) bool { return r == '-' || r == '_' })
	words, numbers := 0, 0
	for _, p := range parts {
		switch {
		case isDigits(p):
			numbers++
		case len(p) >= 3 && letters(p) && !genericValue[strings.ToLower(string(p))]:
			words++
		default:
			return false
		}
	}
	return words >= 2 && numbers == 1 && len(parts[len(parts)-1]) >= 2 && !dateLike(b)
}

// decimal says whether b is a number with a point.
func decimal(b []byte) bool {
	b = bytes.TrimLeft(b, "+-")
	dot := bytes.IndexByte(b, '.')
	return dot > 0 && len(b) < 10 && isDigits(b[:dot]) && isDigits(b[dot+1:])
}

// ownTag says whether b names the value that it would be and how it is to be read, as tags of fields do.
func ownTag(b, name []byte) bool {
	return len(b) > len(name) && b[len(name)] == ',' && strings.EqualFold(string(b[:len(name)]), string(name))
}

// measured says whether a name is that of a number: how long, how many.
func measured(name []byte) bool {
	for _, w := range wordsOf(name) {
		if farWords[w] || w == "buflen" || w == "bufsize" || w == "num" || w == "timeout" || w == "iterations" || w == "rounds" {
			return true
		}
	}
	return false
}

// plainWord judges an unquoted value of letters only: in a sentence or a program it is a word, in a file of settings it
// may be a password.
func (v value) plainWord(text, b []byte) bool {
	if v.tight {
		return len(b) >= 4 && (v.whole || v.end < len(text) && strings.IndexByte("&; \"'\\,)", text[v.end]) >= 0) && !camel(b)
	}
	return v.whole && len(b) >= 6 && !camel(b) && !(class[b[0]]&clsUpper != 0 && lowerTail(b)) && bytes.IndexByte(b, '-') < 0 && bytes.IndexByte(b, '_') < 0
}

func lowerTail(b []byte) bool {
	for _, c := range b[1:] {
		if class[c]&clsLower == 0 {
			return false
		}
	}
	return true
}

// camel says whether b is a name as programs have them.
func camel(b []byte) bool {
	if class[b[0]]&clsLower == 0 {
		return false
	}
	n := len(wordsOf(b))
	return mixedCase(b) && n >= 2 && (n < 4 || len(b) >= 4*n) && wordy(b)
}

// ordinal is what counts or orders: "1st", "12-character", "8+".
func ordinal(b []byte) bool {
	i := 0
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == 0 || i > 3 {
		return false
	}
	rest := strings.ToLower(strings.Trim(string(b[i:]), "-+ ."))
	return rest == "" || rest == "st" || rest == "nd" || rest == "rd" || rest == "th" || strings.HasPrefix(rest, "char") || strings.HasPrefix(rest, "day") || strings.HasPrefix(rest, "min") || strings.HasPrefix(rest, "hour") || strings.HasPrefix(rest, "bit") || rest == "s" || rest == "m" || rest == "h" || rest == "ms" || rest == "kb" || rest == "x"
}

// linkish says whether b is a path, a URL or an address.
func linkish(b []byte) bool {
	if bytes.HasPrefix(b, []byte("urn:")) || b[0] == '/' && len(b) > 1 && len(b) < 16 && letters(b[1:]) && wordy(b[1:]) {
		return true
	}
	return bytes.Contains(b, []byte("://")) || b[0] == '/' && bytes.Count(b, []byte("/")) > 1 && (len(b) < 24 || !hasDigit(b) || !mixedCase(b) || structured(b)) || bytes.HasPrefix(b, []byte("C:\\"))
}

// passphrase says whether words in quotes are a phrase somebody uses as a password: no sentence about one.
func passphrase(b []byte) bool {
	words := strings.Fields(string(b))
	if len(words) < 2 || len(words) > 12 || strings.ContainsAny(string(b), "<>{}():?…") || words[0] != strings.ToLower(words[0]) && !hasDigit(b) {
		return false
	}
	status := 0
	for _, w := range words {
		w = strings.Trim(strings.ToLower(w), ".,!'")
		if genericValue[w] || proseWords[w] {
			return false
		}
		if statusWords[w] {
			status++
		}
	}
	if status > 1 || status > 0 && len(words) < 4 {
		return false
	}
	return len(words) >= 3 || hasDigit(b)
}

// proseWords make a sentence of the words around them.
var proseWords = set(`the a an is are was be been please enter your you my our their his her its this that these must should can could
	would will may at least least than and or but if when with without for from of in on at to into not no do does did
	choose type use using new old current confirm again characters user login account sign email forgot reset change
	ihr dein das der die ein eine bitte eingeben und oder ist nicht mot votre le la les un une de el su ingrese la con`)

// isToken judges what a machine made.
func (v value) isToken(b []byte) bool {
	if hexNumber(b) || namedFile(b) || isDigits(b) && len(b) < 16 && !v.quoted {
		return false
	}
	if v.comma && !strongWord(b) && !machineMade(b) {
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

// namedFile says whether b is the path of a file with an ending of letters.
func namedFile(b []byte) bool {
	dot := bytes.LastIndexByte(b, '.')
	return dot > 0 && len(b)-dot <= 5 && len(b)-dot >= 3 && bytes.IndexByte(b[:dot], '/') > 0 && letters(b[dot+1:])
}

// solid says whether b has only characters that tokens have.
func solid(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7F || strings.IndexByte("()[]{}<>\\,;", c) >= 0 {
			return false
		}
	}
	return true
}

// structured says whether b is made of parts that mean something: a path, an address, a name with a number.
func structured(b []byte) bool {
	if jumbled(b) {
		return false
	}
	parts := bytes.FieldsFunc(b, func(r rune) bool { return strings.ContainsRune("/:@.-_", r) })
	plain := 0
	for _, p := range parts {
		if len(p) >= 10 && hasDigit(p) && mixedCase(p) && !wordy(p) {
			return false
		}
		if len(p) >= 5 && mixedCase(p) && !wordy(p) {
			return false
		}
		if letters(p) && wordy(p) || isDigits(p) || len(p) <= 2 {
			plain++
		}
	}
	return len(parts) >= 3 && plain*3 >= len(parts)*2 || bytes.IndexByte(b, '/') >= 0 && bytes.IndexByte(b, '.') > 0
}
