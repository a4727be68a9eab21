package redact

import (
	"bytes"
	"strings"
)

// fillers stand between what says that a password follows and the password.
var fillers = set(`now jetzt nun ab übrigens aktuell momentan derzeit wieder again actually also btw maintenant désormais ahora adesso nu agora teraz simply just currently still set zu`)

// usingWords stand before what somebody logs in with.
var usingWords = set(`use using with enter mit benutze verwende nutze avec utilise utilisez con usa use usar utiliza com met gebruik z użyj hasłem`)

// strongWord says whether a word of a sentence can only be a password or a token: no word, name, number or date looks so.
func strongWord(b []byte) bool {
	if chaotic(b) {
		return !placeholder(b)
	}
	if len(b) < 8 || len(b) > maxQuoted || !hasDigit(b) || named(b) || placeholder(b) || dateLike(b) || ordinal(b) || linkish(b) || uuidAt(b) || digestLike(b) || reference(b) || structured(b) {
		return false
	}
	if bytes.IndexByte(b, '@') > 0 && bytes.IndexByte(b, '.') > 0 || bytes.ContainsAny(b, "()<>[]{}|\"`") || bytes.HasPrefix(b, []byte("0x")) {
		return false
	}
	return randomish(b) && (mixedCase(b) || bytes.ContainsAny(b, "!#$%^&*?~"))
}

// chaotic says whether letters stand together as only chance puts them: capitals here and there, and parts that nobody
// could say.
func chaotic(b []byte) bool {
	if len(b) < 10 || len(b) > 64 {
		return false
	}
	turns := 0
	for i, c := range b {
		if !isLetter(c) {
			return false
		}
		if i > 0 && class[c]&clsUpper != 0 && class[b[i-1]]&clsLower != 0 {
			turns++
		}
	}
	return turns >= 2 && !said(b)
}

// wordAt is the word of a sentence that begins at i, without the sentence's own signs.
func wordAt(text []byte, i int) value {
	return value{start: i, end: bareEnd(text, i, value{prose: true}), prose: true}
}

// toldToken reads what a sentence says that a key or token is.
func toldToken(text []byte, at int, how strength) (value, bool) {
	line := lineEnd(text, at)
	at = skipAny(text, at, 1, "([")
	if v := wordAt(text, at); how == token && v.end-v.start >= minTail && machineMade(text[v.start:v.end]) {
		return v, true
	}
	if v := wordAt(text, at); how == weak && v.end-v.start >= 24 && machineMade(text[v.start:v.end]) && byChance(text[v.start:v.end]) {
		return v, true
	}
	if v := wordAt(text, at); how == pin && v.end-v.start >= 3 && v.end-v.start <= 8 && isDigits(text[v.start:v.end]) {
		return v, true
	}
	for words := 0; words < 10 && at < line; words++ {
		stop := at
		for stop < line && text[stop] > ' ' {
			stop++
		}
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
			if b := text[v.start:v.end]; ok && len(b) >= 16 && !among("#@", b[0]) && (strongWord(b) || base32Seed(b) && hasDigit(b) || jumbled(b) && solid(b) && !hexNumber(b) || how == token && machineMade(b) || digestLike(b) && len(b) >= 32) {
				return v, true
			}
		}
		if k := word[len(word)-1]; k == '.' || k == '!' || k == '?' || k == ';' {
			break
		}
	}
	return value{}, false
}

// machineMade says whether b cannot be a word, a name or a number, whatever its alphabet.
func machineMade(b []byte) bool {
	switch {
	case hexNumber(b), named(b):
		return false
	case placeholder(b) || linkish(b) || reference(b) && !jumbled(b) || structured(b) || !solid(b):
		return false
	case digestLike(b) && len(b) >= 32, uuidAt(b), bytes.HasPrefix(b, []byte("0x")) && digestLike(b[2:]) && len(b) == 66:
		return true
	}
	return hasDigit(b) && !dateLike(b) && randomish(b) && entropy(b) >= 3.3 && longestRun(b) >= 16
}

// named says whether b begins with a name and a sign, so that the value is only what stands behind them.
func named(b []byte) bool {
	k := bytes.IndexAny(b, ":=")
	return k > 0 && k < len(b)-2 && b[k+1] != '=' && identifier(b[:k]) && (wordy(b[:k]) || k >= 4 && !hasDigit(b[:k]) && !chaotic(b[:k]))
}

// hexNumber says whether b is a number in hexadecimal digits, or an address: no key has its length.
func hexNumber(b []byte) bool {
	return bytes.HasPrefix(b, []byte("0x")) && digitsAt(b, 2) == len(b)-2 && len(b) != 66
}

// otherWords stand before a word that is no password: the name of a user, a host, a version.
var otherWords = set(`user username account login benutzer utilisateur usuario host version release user: at from since @ v v. via
	utente gebruiker konto compte cuenta пользователь пользователя uživatel class method function file`)

// stopWords begin what sentences say about passwords in general.
var stopWords = set(`must should cannot can't may might needs need expired incorrect invalid wrong required missing failed hashing hash hashes
	hashed manager policy muss müssen soll darf debe doit deve musí musi moet må skal policies reset length`)

// saidPassword finds the password in a sentence that names one: the word that can be nothing else.
func saidPassword(text []byte, at int) (value, bool) {
	line, before := lineEnd(text, at), ""
	for words := 0; words < 7 && at < line; words++ {
		stop := at
		for stop < line && text[stop] > ' ' {
			stop++
		}
		start := skipAny(text, at, 2, "\"'`(*")
		if q := skipAny(text, at, 1, "\xc2\xe2"); q > at && start == at {
			if start = quoteRune(text, at); start > stop {
				stop = wordAt(text, start).end
			}
		}
		if v := wordAt(text, start); v.end > start && v.end <= stop && !otherWords[before] && strongWord(text[v.start:v.end]) {
			return v, true
		}
		if v, ok := loudWord(text, start, stop); ok && !otherWords[before] {
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

// loudWord is a word that goes from letters to digits and ends with a sign: what people make of a word to please a policy.
func loudWord(text []byte, start, stop int) (value, bool) {
	for stop > start && among(".,;:)\"'", text[stop-1]) {
		stop--
	}
	if stop-start < 8 || !among("!?$#*+", text[stop-1]) || !isDigit(text[stop-2]) || !isDigit(text[stop-3]) {
		return value{}, false
	}
	word := bytes.TrimRight(text[start:stop-1], "0123456789")
	return value{start: start, end: stop, prose: true}, len(word) >= 3 && letters(word) && class[word[0]]&clsUpper != 0
}

// quoteRune goes over an opening quote that is not of ASCII.
func quoteRune(text []byte, at int) int {
	for _, q := range []string{"«", "“", "„", "‘", "‚"} {
		if bytes.HasPrefix(text[at:], []byte(q)) {
			return skipAny(text, at+len(q), 3, " \xc2\xa0")
		}
	}
	return at
}

// particles stand between a name and a value in languages that put no spaces between words.
var particles = []string{"は", "が", "是", "为", "為", "는", "은", "이", "を"}

// particleValue reads a value that such a particle joins to its name at i: it ends where the script changes back.
func particleValue(text []byte, i int) (value, bool) {
	for _, p := range particles {
		if !bytes.HasPrefix(text[i:], []byte(p)) {
			continue
		}
		at := skipAny(text, i+len(p), 3, " :\t")
		at = quoteRune(text, at)
		v, ok := readValue(text, at, value{prose: true})
		for k := v.start; k < v.end; k++ {
			if text[k] >= 0x80 {
				v.end = k
			}
		}
		return v, ok && v.end-v.start >= 6
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

// isCopula looks a word up without an allocation: sentences have many.
func isCopula(word []byte) bool {
	var small [12]byte
	if len(word) > len(small) {
		return false
	}
	for i, c := range word {
		if small[i] = c; class[c]&clsUpper != 0 {
			small[i] = c | 0x20
		}
	}
	return isCopulaWord[string(small[:len(word)])]
}

var isCopulaWord = func() map[string]bool {
	all := map[string]bool{}
	for _, c := range copulas {
		all[c] = true
	}
	return all
}()

// skipFillers goes over words that say nothing.
func skipFillers(text []byte, at, line int) int {
	for range 2 {
		stop := at
		for stop < line && text[stop] > ' ' && text[stop] != ':' {
			stop++
		}
		if !fillers[strings.ToLower(string(text[at:stop]))] {
			break
		}
		at = skipAny(text, stop, 4, " \t:")
	}
	return min(at, line)
}

// logins finds what a sentence says to log in with.
func logins(text []byte, i, n int, add func(span)) {
	low, high := max(0, i-80), min(len(text), i+n+100)
	if k := bytes.LastIndexByte(text[low:i], '\n'); k >= 0 {
		low += k + 1
	}
	if k := bytes.IndexByte(text[i:high], '\n'); k >= 0 {
		high = i + k
	}
	using, paired := 0, false
	for at := low; at < high; {
		stop := at
		for stop < high && text[stop] > ' ' {
			stop++
		}
		word := text[at:stop]
		if using--; using > 0 && (address(word) || joinWords[strings.ToLower(string(word))]) {
			at, paired = stop+1, true
			continue // the name of the user first
		}
		if v := wordAt(text, at); using > 0 && v.end > at && v.end <= stop && (strongWord(text[at:v.end]) || paired && coined(text[at:v.end]) && phrased(text[at:v.end])) {
			v = v.emphatic(text)
			add(span{at, v.end, -1, kindPassword})
		}
		paired = false
		if usingWords[strings.ToLower(string(text[at:stop]))] {
			using = 5 // words: the name of the user comes first
		}
		at = stop + 1
	}
}

// address says whether a word is the address of a mailbox.
func address(word []byte) bool {
	at := bytes.IndexByte(word, '@')
	return at > 0 && bytes.IndexByte(word[at:], '.') > 0
}

// joinWords stand between a user and a password.
var joinWords = set(`and und et y e i en och og ja a /`)

// before finds a password that a sentence names before it says what it is.
func before(text []byte, i, _ int, add func(span)) {
	if v, ok := tellingBefore(text, i, password); ok {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// pairing finds a name and a password with a stroke between them behind a word that announces both.
func pairing(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 3, " :\t")
	if at == i+n {
		return
	}
	for at < len(text) && at < i+n+60 && (isWord(text[at]) || strings.IndexByte(".-@+", text[at]) >= 0) {
		at++
	}
	sign := skipAny(text, at, 2, " ")
	if sign >= len(text) || strings.IndexByte("/|:,", text[sign]) < 0 {
		return
	}
	if v := wordAt(text, skipAny(text, sign+1, 2, " ")); v.end > v.start && v.isPassword(text, nil, text[v.start:v.end]) && (strongWord(text[v.start:v.end]) || closing(text, v) && (literal(text[v.start:v.end], password) || coined(text[v.start:v.end]) && credentialsWord(text[i:i+n]))) {
		v = v.emphatic(text)
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// credentialsWord says whether a word announces a name and a password, and nothing else with a stroke in it.
func credentialsWord(b []byte) bool {
	return hasFold(b, "cred") || hasFold(b, "zugangsd") || hasFold(b, "anmelded") || hasFold(b, "identif") || hasFold(b, "inloggeg") || hasFold(b, "dane log") || hasFold(b, "user") || hasFold(b, "login")
}

// secondArgument finds the password behind a user's name, both in quotes.
func secondArgument(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 4, " (=")
	user, ok := readValue(text, at, value{})
	if !ok || !user.quoted {
		return
	}
	at = skipAny(text, user.end+1, 4, " ,")
	pass, ok := readValue(text, at, value{})
	if b := text[pass.start:pass.end]; ok && pass.quoted && at > user.end+1 && len(b) >= 4 && !placeholder(b) && !genericValue[strings.ToLower(string(b))] {
		add(span{pass.start, pass.end, -1, kindPassword})
	}
}

// argument finds a password that is the only thing in quotes behind a command.
func argument(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 2, " ")
	if hasFold(text[at:], "-string ") {
		at += len("-string ")
	}
	v, ok := readValue(text, at, value{})
	if b := text[v.start:v.end]; ok && v.quoted && len(b) >= 4 && !placeholder(b) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// piped finds what a line prints into a program that reads a password.
func piped(text []byte, i, _ int, add func(span)) {
	line := lineStart(text, i)
	bar := bytes.LastIndexByte(text[line:i], '|')
	if bar < 0 || i-line > maxForm {
		return
	}
	said := text[line : line+bar]
	k := max(bytes.LastIndex(said, []byte("echo ")), bytes.LastIndex(said, []byte("printf ")))
	if k < 0 {
		return
	}
	start := line + k + bytes.IndexByte(said[k:], ' ') + 1
	for hasFold(text[start:], "-n ") || hasFold(text[start:], "-e ") || hasFold(text[start:], "'%s' ") || hasFold(text[start:], "%s ") {
		start += bytes.IndexByte(text[start:], ' ') + 1
	}
	start = skipAny(text, start, 2, " \"'")
	stop := wordStop(text, start, line+bar)
	if colon := bytes.IndexByte(text[start:stop], ':'); colon > 0 && hasFold(text[i:], "chpasswd") {
		start += colon + 1
	}
	if b := text[start:stop]; len(b) >= 4 && !placeholder(b) && !reference(b) {
		add(span{start, stop, -1, kindPassword})
	}
}
