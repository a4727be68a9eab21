package redact

import (
	"bytes"
	"strings"
)

// isPassword judges what a person may have chosen.
func (v value) isPassword(text, name, b []byte) bool {
	if bytes.IndexByte(b, ' ') >= 0 {
		return v.quoted && (passphrase(b) || phraseName(name) && hasDigit(b) && !strings.ContainsAny(string(b), "<>{}()?:…"))
	}
	if len(b) < 4 || naming(b) && identifier(b) && !v.tight || strings.EqualFold(string(b), string(name)) {
		return false
	}
	switch {
	case isDigits(b) && measured(name), decimal(b), ownTag(b, name), v.prose && mailbox(b), strings.EqualFold(string(name), "pass") && !v.quoted && !v.tight && !hasDigit(b):
		return false
	case !v.quoted && (v.whole || v.prose) && hyphened(b):
		return true
	case lengthRule(b), !v.quoted && b[0] >= 0x80 && leadsOn(text, v):
		return false
	case bytes.HasPrefix(b, []byte("--")), !v.quoted && bytes.HasPrefix(b, []byte("0x")) && digitsAt(b, 2) == len(b)-2, v.comma && !(len(b) >= 6 && hasDigit(b) && !letters(b) || mixedCase(b) && !wordy(b)):
		return false
	case !v.quoted && b[0] >= 0xE3 && !bytes.ContainsFunc(b, func(r rune) bool { return r < 0x80 && r != ',' }):
		return false // a sentence of a script without blanks
	case v.prose && v.quoted && text[v.start-1] == '`' && !hasDigit(b), v.prose && strings.EqualFold(string(name), "pass") && !(v.quoted && strongWord(b)) && !(hasDigit(b) && len(b) >= 8 && mixed(b) && (!structured(b) && !wordy(b) || coined(b) && phrased(b))):
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

// phraseName says whether a name is that of a password of several words.
func phraseName(name []byte) bool {
	return len(name) >= 6 && bytes.EqualFold(name[len(name)-6:], []byte("phrase"))
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
		case len(p) >= 3 && letters(p) && !generic(p):
			words++
		default:
			return false
		}
	}
	return words >= 2 && numbers == 1 && len(parts[len(parts)-1]) >= 2 && !dateLike(b)
}

// plainWord judges an unquoted value of letters only: in a sentence or a program it is a word, in a file of settings it
// may be a password.
func (v value) plainWord(text, b []byte) bool {
	if v.tight {
		return len(b) >= 4 && !entitled(text, v) && (v.whole || v.end < len(text) && strings.IndexByte("&; \"'\\,)", text[v.end]) >= 0) && !camel(b)
	}
	return v.whole && len(b) >= 6 && !camel(b) && !(class[b[0]]&clsUpper != 0 && lowerTail(b)) && bytes.IndexByte(b, '-') < 0 && bytes.IndexByte(b, '_') < 0
}

// entitled says whether v begins what a form calls a field, as files of translations give it: New password.
func entitled(text []byte, v value) bool {
	if v.end >= len(text) || text[v.end] != ' ' || class[text[v.start]]&clsUpper == 0 || !lowerTail(text[v.start:v.end]) {
		return false
	}
	rest := text[v.end+1 : min(lineEnd(text, v.end), v.end+40)]
	words := bytes.Fields(rest)
	if len(words) == 0 || len(words) > 4 || bytes.ContainsAny(rest, "=:;\"'") {
		return false
	}
	last := words[len(words)-1]
	return generic(last) || bytes.EqualFold(last, []byte("passe"))
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

// measured says whether a name is that of a number: how long, how many.
func measured(name []byte) bool {
	for _, w := range wordsOf(name) {
		if farWords[w] || w == "buflen" || w == "bufsize" || w == "num" || w == "timeout" || w == "iterations" || w == "rounds" {
			return true
		}
	}
	return false
}

// ownTag says whether b names the value that it would be and how it is to be read, as tags of fields do.
func ownTag(b, name []byte) bool {
	return len(b) > len(name) && b[len(name)] == ',' && strings.EqualFold(string(b[:len(name)]), string(name))
}
