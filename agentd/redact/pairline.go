package redact

import (
	"bytes"
	"strings"
)

// entryWords on a line tell that a name and a word with a stroke between them let somebody in.
var entryWords = set(`login logins account accounts acct konto zugang zugangsdaten wifi wi-fi wlan wpa2 user username benutzer utilisateur usuario utente credentials creds
	acceso accesso accès access portal vpn ftp ssh admin router registrar cpanel plesk hosting webmail contraseña clave password passwort kennwort`)

// stroked finds the password behind a name and a stroke: somebody@example.org / ….
func stroked(text []byte, i, n int, add func(span)) {
	if i == 0 || text[i-1] <= ' ' {
		return
	}
	from := wordStart(text, i)
	user := bytes.TrimLeft(text[from:i], "\"'`(*")
	v := wordAt(text, skipAny(text, i+n, 2, "\"'`*"))
	v = v.emphatic(text)
	b := text[v.start:v.end]
	if v.end <= v.start || !strongWord(b) && !(coined(b) && phrased(b)) || bytes.IndexByte(b, '@') > 0 && address(b) {
		return
	}
	if mailbox(user) && (marked(b) || strongWord(b)) || (mailbox(user) || identifier(user) && wordy(user)) && entered(text[max(lineStart(text, from), from-120):from]) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// entered says whether the last words of what stands before a name tell that it lets somebody in.
func entered(before []byte) bool {
	words := bytes.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(" \t:=,()-", r) })
	for _, w := range words[max(0, len(words)-8):] {
		if entryWords[strings.ToLower(string(w))] {
			return true
		}
	}
	return false
}

// mailbox says whether b is the address of a mailbox, and can be nothing else.
func mailbox(b []byte) bool {
	at, dot := bytes.IndexByte(b, '@'), bytes.LastIndexByte(b, '.')
	return at > 0 && dot > at+1 && len(b)-dot > 2 && letters(b[dot+1:]) && identifier(b[at+1:]) && !bytes.ContainsAny(b[:at], "!#$%^*?")
}
