package redact

import (
	"bytes"
	"strings"
)

// wordAt is the word of a sentence that begins at i, without the sentence's own signs.
func wordAt(text []byte, i int) value {
	return value{start: i, end: bareEnd(text, i, value{prose: true}), prose: true}
}

// toldToken reads what a sentence says that a key or token is.
func toldToken(text []byte, at int, how strength) (value, bool) {
	line := lineEnd(text, at)
	at = skipAny(text, at, 1, "([#")
	if at < line && text[at] >= 0xC2 {
		at = quoteRune(text, at)
	}
	if v := wordAt(text, at); len(text[v.start:v.end]) == 40 && digestLike(text[v.start:v.end]) && bytes.Equal(bytes.ToUpper(text[v.start:v.end]), text[v.start:v.end]) {
		return value{}, false // the fingerprint of a key of PGP
	}
	if v := wordAt(text, at); how == token && v.end-v.start >= minTail && machineMade(text[v.start:v.end]) {
		return v, true
	}
	if v := wordAt(text, at); how == weak && v.end-v.start >= 24 && machineMade(text[v.start:v.end]) && byChance(text[v.start:v.end]) {
		return v, true
	}
	if v := wordAt(text, at); how == pin && v.end > at && among("#*", text[v.end-1]) && v.end-at <= 9 && isDigits(text[at:v.end-1]) {
		v.end--
		return v, v.end-at >= 3
	}
	if v := wordAt(text, at); how == pin && v.end-v.start >= 3 && v.end-v.start <= 8 && isDigits(text[v.start:v.end]) {
		return v, true
	}
	for words := 0; words < 10 && at < line; words++ {
		stop := wordEnd(text, at, line)
		word := text[at:stop]
		at = skipAny(text, stop, 3, " \t")
		if len(word) > 1 && word[len(word)-1] == ':' && at >= line {
			return belowValue(text, stop, stop, how)
		}
		if at >= line || len(word) == 0 {
			break
		}
		if word[len(word)-1] == ':' || isCopula(word) {
			v, ok := readValue(text, skipFillers(text, at, line), value{prose: true})
			if b := text[v.start:v.end]; ok && len(b) >= 16 && !among("#@", b[0]) && (strongWord(b) || base32Seed(b) && hasDigit(b) || jumbled(b) && solid(b) && !hexNumber(b) || how == token && (machineMade(b) || grouped(b)) || digestLike(b) && len(b) >= 32) {
				return v, true
			}
		}
		if k := word[len(word)-1]; k == '.' || k == '!' || k == '?' || k == ';' {
			break
		}
	}
	return value{}, false
}

// otherWords stand before a word that is no password: the name of a user, a host, a version.
var otherWords = set(`user username account login benutzer utilisateur usuario host version release user: at from since @ v v. via
	utente gebruiker konto compte cuenta пользователь пользователя uživatel class method function file`)

// stopWords begin what sentences say about passwords in general.
var stopWords = set(`must should cannot can't may might needs need expired incorrect invalid wrong required missing failed hashing hash hashes
	hashed manager policy muss müssen soll darf debe doit deve musí musi moet må skal policies reset length`)

// purposes stand before what a password is for.
var purposes = set(`on for of in at für von auf bei im am pour de sur chez para en di per su voor op van dla na do för på til`)

// saidPassword finds the password in a sentence that names one: the word that can be nothing else.
func saidPassword(text []byte, at int) (value, bool) {
	line, before := lineEnd(text, at), ""
	for words := 0; words < 7 && at < line; words++ {
		stop := wordEnd(text, at, line)
		start := skipAny(text, at, 2, "\"'`(*")
		if q := skipAny(text, at, 1, "\xc2\xe2"); q > at && start == at {
			if start = quoteRune(text, at); start > stop {
				stop = wordAt(text, start).end
			}
		}
		if v := wordAt(text, start); v.end > start && v.end <= stop && !otherWords[before] && strongWord(text[v.start:v.end]) {
			return v, true
		}
		if v, ok := loudWord(text, start, stop); ok && !otherWords[before] && !purposes[before] {
			return v, true
		}
		before = strings.ToLower(string(text[at:stop]))
		if k := text[stop-1]; stopWords[before] || k == '.' || k == '!' || k == '?' || k == ';' {
			break
		}
		at = skipAny(text, stop, 3, " \t\u00a0")
	}
	return value{}, false
}

// wordPhrase finds a passphrase of twelve words or more that a name announces.
func wordPhrase(text []byte, i int, add func(span)) {
	if at := skipAny(text, i, 3, "\"' "); at >= len(text) || strings.IndexByte(":=\n", text[at]) < 0 {
		return
	}
	seedPhrase(text, i, 0, func(s span) {
		for _, w := range bytes.Fields(text[s.start:s.end]) {
			if low := strings.ToLower(string(w)); proseWords[low] || statusWords[low] {
				return
			}
		}
		s.kind = kindPassword
		add(s)
	})
}
