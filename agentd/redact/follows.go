package redact

import (
	"bytes"
	"strings"
)

// follows says whether the word behind the name at start can only be the password: people leave the verb out.
func follows(text []byte, start int, v value) bool {
	b := text[v.start:v.end]
	if len(b) < 8 || !coined(b) {
		return false
	}
	return phrased(b) || closing(text, v) && (numbered(b) || userBefore(text, start) || mixedCase(b) && possessive(text, v.start))
}

// possessive says whether the word before i is one for a password with the ending that says whose it is: such a sentence
// has no verb.
func possessive(text []byte, i int) bool {
	before := bytes.TrimRight(text[max(0, i-24):i], " ")
	return bytes.HasSuffix(before, []byte("ifresi")) || bytes.HasSuffix(before, []byte("parolası")) || bytes.HasSuffix(before, []byte("parolasi"))
}

// vague says whether the word from k to stop stands before what a password is for as well as before the password itself.
func vague(text []byte, k, stop int) bool {
	switch strings.ToLower(string(text[k:stop])) {
	case "für", "для", "by", "as":
		return true
	case "a", "para", "naar", "till", "til":
		return !mentions(text[max(lineStart(text, k), k-80):k], "cambi", "mud", "modific", "alter", "gewijzig", "verander", "ändra", "ændr", "endr")
	case "to":
		return !mentions(text[max(lineStart(text, k), k-80):k], "chang", "set", "updat", " is ", "back ", "rotat", "now ", "renew", "switch")
	}
	return false
}

// userWords name who logs in, with the password behind them.
var userWords = []string{
	"user", "login", "benutzer", "utilisateur", "identifiant", "usuario", "usuário", "utente", "gebruiker", "użytkown", "kullanıcı", "användar", "brugernavn", "uživatel", "account", "konto", "anydesk",
	"teamviewer", "пользовател", "логин",
}

// userBefore says whether the line names a user before i.
func userBefore(text []byte, i int) bool {
	return mentions(text[max(lineStart(text, i), i-80):i], userWords...)
}

// closing says whether a value ends its line, or its part of it.
func closing(text []byte, v value) bool {
	k := skipAny(text, v.end, 3, " \t\r.")
	return k >= len(text) || among("\n,;|&#)", text[k]) || bytes.HasPrefix(text[k:], []byte("*/"))
}
