package redact

import (
	"bytes"
	"strings"
)

// strengthWith judges a name with the word before it, when the name itself is only "key" or "token".
func strengthWith(text []byte, start, end int) strength {
	if text[start] == 'D' && start > 0 && text[start-1] == '-' {
		start++ // as Java is told its properties
	}
	how := strengthOf(text[start:end])
	if how == password && end-start == 4 && hasFold(text[start:], "pass") && otherPass(text, start) {
		return nothing
	}
	if how == weak && hasFold(text[start:end], "key") && saysNear(text, start, "ssid", "SSID") {
		return password
	}
	if how == weak && hasFold(text[start:end], "key") && end-start == 3 && start > 0 && ownCrypt(text, start) {
		return token
	}
	if n := end - start; how == nothing || n > 6 || n < 3 || start < 2 || text[start-1] != ' ' || !hasFold(text[start:end], "key") && !hasFold(text[start:end], "token") {
		return how
	}
	from := start - 1
	for from > 0 && start-from < 24 && (isWord(text[from-1]) || text[from-1] == '-') {
		from--
	}
	if from == start-1 {
		return how
	}
	var small [24]byte
	w := small[:copy(small[:], text[from:start-1])]
	for i, c := range w {
		if class[c]&clsUpper != 0 {
			w[i] = c | 0x20
		}
	}
	switch {
	case openKeyWords[string(w)] && (how == weak || openTokenWords[string(w)]):
		return nothing
	case keyWords[string(w)] && how == weak:
		return token
	}
	return how
}

// ownCrypt says whether the name at i is that of a key within a section, or behind a word, that says what it encrypts with.
func ownCrypt(text []byte, i int) bool {
	if !saysNear(text, i, "rypt", "RYPT") {
		return false
	}
	return mentions(text[max(0, i-40):i], "crypt key", "'crypt'", `"crypt"`)
}

// saysNear says whether one of two spellings stands shortly before i.
func saysNear(text []byte, i int, small, large string) bool {
	near := text[max(0, i-60):i]
	return bytes.Contains(near, []byte(small)) || bytes.Contains(near, []byte(large))
}

// otherPass says whether the word before "pass" shows that it is a ticket, a way or a turn.
func otherPass(text []byte, start int) bool {
	return start > 0 && text[start-1] == ' ' && passKinds[wordBehind(text, start)]
}

// ofAccount says whether the word before "pass" tells what it opens.
func ofAccount(text []byte, start int) bool { return accounts[wordBehind(text, start)] }

// wordBehind is the word of letters that ends, with a sign behind it, at i.
func wordBehind(text []byte, i int) string {
	from := max(0, i-1)
	for from > 0 && isLetter(text[from-1]) {
		from--
	}
	return strings.ToLower(string(text[from:max(from, i-1)]))
}

var accounts = set(`smtp imap pop mail email admin root db database user sudo ssh ftp sftp vpn wifi wlan ldap mysql postgres redis mongo nas router login
	account new old temp temporary initial my your his her default current la el mi tu su il meine deine master app service svc rdp vnc web http proxy cpanel plesk wp wordpress server backup
	sudo become vault archive zip usr rabbit broker mqtt bind cert key store keystore truststore pdf tls ssl sql pg psql`)

var passKinds = set(`boarding season ski bus rail day guest hall mountain press visitor travel annual test low high band second first final each one single`)
