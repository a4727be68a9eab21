package redact

import (
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
var wirelessWords = set(`wlan wifi wpa wpa2 wpa3 preshared`)

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
	case last == "id" && len(words) == 2 && words[0] == "secret":
		return token // half of a machine's sign-in at a vault; names of secrets stand under it too
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
	switch {
	case builtOf(last, "storepass", "keypass", "password", "passwd", "passwort", "kennwort", "wachtwoord", "passphrase", "pwd") && last != "oldpwd":
		return password
	case builtOf(last, "apikey", "secret", "token"):
		return token
	}
	return nothing
}

// builtOf says whether a word ends with one of some others, or begins with one of more than four letters and has few more.
func builtOf(word string, others ...string) bool {
	for _, w := range others {
		if strings.HasSuffix(word, w) || len(w) > 4 && strings.HasPrefix(word, w) && len(word) <= len(w)+4 {
			return true
		}
	}
	return false
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
	rest, ok := strings.CutSuffix(w, "pw")
	return ok && (accounts[rest] || len(rest) <= 2) && rest != "cm" // an instruction that compares words
}

func numeral(s string) bool { return strings.Trim(s, "v0123456789") == "" }
