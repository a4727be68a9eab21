package redact

import (
	"bytes"
	"strings"
)

// wordedValue reads a value behind a name and a space: of an option, of SQL, of a sentence.
func wordedValue(text []byte, start, at int, how strength) (value, bool) {
	if flagged(text, start) {
		return readValue(text, at, value{flag: true})
	}
	if text[at] == '\'' || text[at] == '"' || text[at] == '`' {
		return readValue(text, at, value{prose: true})
	}
	if netrc(text, start) {
		return readValue(text, at, value{tight: true})
	}
	if k := typedAssignment(text, at); k > 0 {
		return readValue(text, skipAny(text, k, 4, " \t"), value{})
	}
	if v := wordAt(text, at).emphatic(text); v.end > at && how == password && (strongWord(text[at:v.end]) || digestLike(text[at:v.end]) && v.end-at >= 32 || closing(text, v) && v.end-at >= 10 && literal(text[at:v.end], how) || follows(text, start, v)) {
		return v, true
	}
	if v := wordAt(text, at); v.end > at && how == password && hasFold(text[v.end:], " olarak") && coined(text[at:v.end]) {
		return v, true
	}
	if v, ok := predecessor(text, at); ok && how == password {
		return v, true
	}
	if how == pin && hasFold(text[at:], "code of ") {
		return value{}, false // of a place
	}
	line := lineEnd(text, at)
	for k := at; k < line && k < at+60; {
		stop := k
		for stop < line && text[stop] > ' ' && text[stop] != ':' {
			stop++
		}
		if stop < line && isCopula(text[k:stop]) {
			from := skipMarks(text, skipFillers(text, skipAny(text, stop, 4, " \t:"), line))
			v, ok := readValue(text, from, value{prose: true})
			if b := text[v.start:v.end]; ok && !(how == password && !hasFold(text[start:], "has") && vague(text, k, stop) && !strongWord(b) && !(coined(b) && marked(b))) && (v.quoted || mixed(b) && !letters(b) || how == pin && len(b) >= 4 && isPin(b)) {
				return v, true
			}
		}
		if stop < line && text[stop] == ':' && (stop > k && !isDigits(text[k:stop]) && !dateLike(text[k:stop]) && !bytes.ContainsAny(text[k:stop], "=") || stop == k && k > at && text[k-1] == ' ') {
			return readValue(text, skipAny(text, stop, 3, ": \t"), value{prose: true})
		}
		k = skipAny(text, max(stop, k+1), 3, " \t")
	}
	if how == password {
		return saidPassword(text, at)
	}
	return value{}, false
}

// follows says whether the word behind the name at start can only be the password: people leave the verb out.
func follows(text []byte, start int, v value) bool {
	b := text[v.start:v.end]
	if len(b) < 8 || !coined(b) {
		return false
	}
	return phrased(b) || closing(text, v) && (numbered(b) || userBefore(text, start))
}

// vague says whether the word from k to stop stands before what a password is for as well as before the password itself.
func vague(text []byte, k, stop int) bool {
	switch strings.ToLower(string(text[k:stop])) {
	case "für", "для", "by", "as":
		return true
	case "to":
		near := bytes.ToLower(text[max(lineStart(text, k), k-80):k])
		for _, w := range []string{"chang", "set", "updat", " is ", "back ", "rotat", "now ", "renew", "switch"} {
			if bytes.Contains(near, []byte(w)) {
				return false
			}
		}
		return true
	}
	return false
}

// userWords name who logs in, with the password behind them.
var userWords = []string{"user", "login", "benutzer", "utilisateur", "identifiant", "usuario", "usuário", "utente", "gebruiker", "użytkown", "kullanıcı", "användar", "brugernavn", "uživatel", "account", "konto", "anydesk",
	"teamviewer", "пользовател", "логин"}

// userBefore says whether the line names a user before i.
func userBefore(text []byte, i int) bool {
	near := bytes.ToLower(text[max(lineStart(text, i), i-80):i])
	for _, w := range userWords {
		if bytes.Contains(near, []byte(w)) {
			return true
		}
	}
	return false
}

// closing says whether a value ends its line, or its part of it.
func closing(text []byte, v value) bool {
	k := skipAny(text, v.end, 3, " \t\r.")
	return k >= len(text) || among("\n,;|&#)", text[k]) || bytes.HasPrefix(text[k:], []byte("*/"))
}

// netrc says whether the name at i stands in a line of a netrc file, or of a server's configuration that gives nothing
// but a name and a value.
func netrc(text []byte, i int) bool {
	line := lineStart(text, i)
	before := bytes.ToLower(text[line:i])
	if bytes.Contains(before, []byte("login ")) && !bytes.HasSuffix(before, []byte("login ")) || bytes.Contains(before, []byte("machine ")) || bytes.HasSuffix(before, []byte("config set ")) || bytes.HasPrefix(bytes.TrimSpace(before), []byte("user ")) && len(bytes.Fields(before)) == 2 {
		return true
	}
	low := bytes.ToLower(text[i:min(len(text), i+12)])
	return len(bytes.TrimSpace(before)) == 0 && (bytes.HasPrefix(low, []byte("requirepass")) || bytes.HasPrefix(low, []byte("masterauth")) || bytes.HasPrefix(low, []byte("password ")) && previousLogin(text[:line]))
}

func previousLogin(before []byte) bool {
	tail := bytes.ToLower(before[max(0, len(before)-80):])
	return bytes.Contains(tail, []byte("login ")) || bytes.Contains(tail, []byte("machine ")) || bytes.Contains(tail, []byte("\nuser "))
}
