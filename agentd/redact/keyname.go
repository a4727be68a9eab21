package redact

import (
	"bytes"
	"strings"
	"sync/atomic"
)

// strength says how much a name promises a secret.
type strength int

const (
	nothing  strength = iota
	loose             // speaks of secrets, but is about something else
	weak              // "key", "auth"
	token             // a machine made the value
	pin               // few digits
	password          // a person may have made the value
)

// kind is what a value is called that was found by a name of this strength.
func (s strength) kind() string {
	switch s {
	case password:
		return kindPassword
	case pin:
		return "pin"
	}
	return kindToken
}

// judged remembers what names promise: the same few come by all the time.
var judged [1024]atomic.Pointer[judgedName]

type judgedName struct {
	name string
	how  strength
}

// strengthOf judges the name of a value.
func strengthOf(name []byte) strength {
	at := &judged[nameHash(name)%uint32(len(judged))]
	if j := at.Load(); j != nil && j.name == string(name) {
		return j.how
	}
	how := judgeName(name)
	at.Store(&judgedName{string(name), how})
	return how
}

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
	near := bytes.ToLower(text[max(0, i-40):i])
	return bytes.Contains(near, []byte("crypt key")) || bytes.Contains(near, []byte("'crypt'")) || bytes.Contains(near, []byte(`"crypt"`))
}

// saysNear says whether one of two spellings stands shortly before i.
func saysNear(text []byte, i int, small, large string) bool {
	near := text[max(0, i-60):i]
	return bytes.Contains(near, []byte(small)) || bytes.Contains(near, []byte(large))
}

// otherPass says whether the word before "pass" shows that it is a ticket, a way or a turn.
func otherPass(text []byte, start int) bool {
	from := start - 1
	for from > 0 && isLetter(text[from-1]) {
		from--
	}
	return from >= 0 && from < start-1 && text[start-1] == ' ' && passKinds[strings.ToLower(string(text[from:start-1]))]
}

// ofAccount says whether the word before "pass" tells what it opens.
func ofAccount(text []byte, start int) bool {
	from := start - 1
	for from > 0 && isLetter(text[from-1]) {
		from--
	}
	return from >= 0 && from < start-1 && accounts[strings.ToLower(string(text[from:start-1]))]
}

var accounts = set(`smtp imap pop mail email admin root db database user sudo ssh ftp sftp vpn wifi wlan ldap mysql postgres redis mongo nas router login
	account new old temp temporary initial my your his her default current la el mi tu su il meine deine master app service svc rdp vnc web http proxy cpanel plesk wp wordpress server backup
	sudo become vault archive zip usr rabbit broker mqtt bind cert key store keystore truststore pdf tls ssl sql pg psql`)

var passKinds = set(`boarding season ski bus rail day guest hall mountain press visitor travel annual test low high band second first final each one single`)

func nameHash(name []byte) (h uint32) {
	for _, c := range name {
		h = (h ^ uint32(c)) * golden
	}
	return h >> 16
}

func judgeName(name []byte) strength {
	words := wordsOf(name)
	for len(words) > 1 && (trailingWords[words[len(words)-1]] || numeral(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return nothing
	}
	if len(words) > 1 && stateWords[words[0]] {
		return nothing
	}
	last := strings.TrimRight(words[len(words)-1], "0123456789")
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch {
	case (passwordWords[last] || inflected(last)) && before != "no" && before != "by":
		return password
	case pinWords[last] && (before == "cert" || before == "certificate" || before == "spki" || digestWords[before]):
		return nothing
	case pinWords[last] || pinWords[words[len(words)-1]]:
		return pin
	case last == "code" && pinWords[before]:
		return pin
	case last == "word" && before == "pass", last == "phrase" && (before == "pass" || before == "secret"), last == "code" && before == "pass":
		return password
	case last == "key":
		return keyStrength(before, words)
	case (last == "hash" || last == "digest" || last == "hashed" || last == "crypt") && passwordWords[before]:
		return token
	case last == "seed" && seedWords[before]:
		return token
	case tokenWords[last]:
		if openTokenWords[before] || words[0] == "public" || digestWords[before] && before != "version" && last != "salt" {
			return nothing
		}
		if last == "tokens" {
			return loose
		}
		return token
	}
	return otherStrength(last, words)
}

// stateWords begin the names of what is true or not.
var stateWords = set(`has is needs requires should`)

// seedWords say that a seed makes codes or keys, and no numbers for a game.
var seedWords = set(`totp otp mfa 2fa tfa hotp wallet master hd secret private key authenticator`)

// wirelessWords say that a key opens a network.
var wirelessWords = set(`wlan wifi wpa wpa2 wpa3`)

func keyStrength(before string, words []string) strength {
	for _, w := range words {
		if w == "public" || w == "publishable" || w == "pub" {
			return nothing
		}
	}
	switch {
	case before == "shared" && len(words) > 2 && words[len(words)-3] == "pre", wirelessWords[before]:
		return password // people choose it
	case keyWords[before] || vendorNames[before] || len(words) > 2 && words[0] == "x" && !openKeyWords[before]: // a header of its own
		return token
	case openKeyWords[before] || digestWords[before]:
		return nothing
	}
	return weak
}

// farWords end names that are about a secret without being one.
var farWords = set(`url uri path file filename dir name names length len size count type policy hint label field form reset expiry expires ttl
	at date time algorithm algo format min max enabled required header prefix suffix page title placeholder input
	manager store provider class error message ref reference version hash sha sha256 digest checksum fingerprint usage limit
	budget tokenizer model endpoint host port method strategy rotation audit list set map column table id_field description
	status state location source arn selector kind group owner scope scopes address id ids identifier`)

func otherStrength(last string, words []string) strength {
	switch {
	case last == "auth" && len(words) > 1 && words[len(words)-2] == "rediscli":
		return password
	case last == "auth" || last == "authorization" || last == "session" || last == "sid" || last == "sessionid" || last == "access" || last == "api":
		return weak
	case farWords[last]:
		return nothing
	}
	for _, w := range words {
		if digestWords[w] {
			return nothing
		}
	}
	for _, w := range words {
		if tokenWords[w] || w == "key" || w == "auth" || w == "api" || w == "access" || passwordWords[w] {
			return loose
		}
	}
	if rest, ok := strings.CutSuffix(last, "pass"); ok && accounts[rest] {
		return password
	}
	for _, w := range []string{"apikey", "storepass", "keypass", "password", "passwd", "passwort", "kennwort", "wachtwoord", "passphrase", "pwd", "secret", "token"} {
		if strings.HasSuffix(last, w) && last != "oldpwd" || len(w) > 4 && strings.HasPrefix(last, w) && len(last) <= len(w)+4 {
			return map[bool]strength{true: password, false: token}[strings.Contains(w, "pass") || strings.Contains(w, "w")]
		}
	}
	return nothing
}

// passwordStems are words for a password in languages that put endings to them.
var passwordStems = strings.Fields(`lösenord losenord passord salasan hesl parol şifre sifre jelsz wachtwoord contraseñ contrasen hasł hasl
	passwort passwört kennwort kennwört adgangskod kodeord lozink gesl slaptažod parool password лозинк парол`)

// inflected says whether w is one of the stems with an ending.
func inflected(w string) bool {
	for _, s := range passwordStems {
		if rest, ok := strings.CutPrefix(w, s); ok && len(rest) <= 5 && !strings.HasPrefix(rest, "less") && rest != "s" && rest != "gen" && rest != "safe" {
			return true
		}
	}
	return strings.HasSuffix(w, "pw") && len(w) <= 9
}

func numeral(s string) bool { return strings.Trim(s, "v0123456789") == "" }
