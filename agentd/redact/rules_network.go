package redact

import (
	"slices"
	"strings"
)

// networkForms are what switches, firewalls and clusters write their secrets like.
var networkForms = []format{
	{kind: "juniper-secret", word: `"$9$`, expr: `"(\$9\$[A-Za-z0-9./-]{8,})"`},
	{kind: "fortinet-secret", word: " enc ", back: 24, expr: `(?i)(?:passwd|password|secret|psksecret|key|passphrase) ENC ([A-Za-z0-9+/]{20,}={0,2})`},
	{kind: "k3s-token", word: "k10", fill: fillHex, expr: `K10[0-9a-f]{64}::[\w:-]{8,}`, edge: true},
	{kind: "rancher-token", word: "token-", expr: `token-[a-z0-9]{5}:[a-z0-9]{54}`, edge: true},
	{kind: "password-hash", word: "ha1=", expr: `(?i)ha1="?([a-f0-9]{32})\b`, edge: true},
	{kind: "sip-password", word: "register =>", expr: `register =>\s*[^:\s]+:([^\s@:]{4,}(?:[^\s@]*[^\s@])?)@`},
	{kind: "password", word: "{plain}", expr: `(?i)\{PLAIN\}([^\s:"'{}]{4,})`},
	{kind: "password", word: "{cleartext}", expr: `(?i)\{CLEARTEXT\}([^\s:"'{}]{4,})`},
	{kind: "magic-link", word: "/confirm", expr: magicLink},
	{kind: "magic-link", word: "/reset", expr: magicLink},
	{kind: "magic-link", word: "/activate", expr: magicLink},
	{kind: "magic-link", word: "/verify", expr: magicLink},
	{kind: "magic-link", word: "/magic", expr: magicLink},
	{kind: "magic-link", word: "/invit", expr: magicLink},
	{kind: "magic-link", word: "/password", expr: magicLink},
	{kind: "magic-link", word: "code=", back: 1, expr: `[?&]code=([A-Za-z0-9_~-]{20,})`, chance: true},
	{kind: "jenkins-secret", word: "{aqaaaba", expr: `\{(AQAAABAAAA[A-Za-z0-9+/=]{20,})\}`},
	{kind: "saml-response", word: "samlresponse", expr: `(?i)SAMLResponse["']?\s{0,2}[=:]\s{0,2}["']?([A-Za-z0-9+/%_-]{60,}=*)`},
	{kind: "cookie", word: "aspxauth", expr: `(?i)ASPXAUTH["']?\s?[=:]\s?["']?([A-Za-z0-9_-]{40,})`},
	{kind: "password", word: "password\nv ", expr: `password\nV [0-9]{1,3}\n([^\n]{3,})`},
	{kind: "session-link", word: "sid=", back: 1, expr: `[?&]sid=([0-9a-f]{16})\b`},
	{kind: "password", word: "app specific", expr: appSpecific},
	{kind: "password", word: "app-specific", expr: appSpecific},
	{kind: "pin", word: "homekit", expr: `(?i)homekit[^\n0-9]{0,30}\b([0-9]{3}-[0-9]{2}-[0-9]{3})\b`},
	{kind: "pairing-code", word: "mt:", fill: fillWord, expr: `MT:[A-Z0-9.-]{19,22}\b`, edge: true},
	{kind: "conda-token", word: "conda.org/t/", expr: `conda\.org/t/([A-Za-z0-9-]{20,})/`},
	{kind: "slack-link", word: "/z-app-", expr: `/z-app-([0-9]{6,}-[0-9]{6,}-[0-9a-f]{20,})`},
	{kind: "ping-link", word: "hc-ping.com/", expr: `hc-ping\.com/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{22}/[\w-]+)`},
	{kind: "ping-link", word: "/api/v1/heartbeat/", expr: `/api/v1/heartbeat/([A-Za-z0-9]{16,})`},
}

// magicLink is a path that lets somebody do what its first part says, with the token at its end.
const magicLink = `/[a-z]+(?:[-_/][a-z]+){0,3}/([0-9a-f]{32,}|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{20,})(?:[\s"'<>?#)/]|$)`

// appSpecific are the four groups that an account gives to a program.
const appSpecific = `(?i)app[- ]specific(?:[- ][a-zäöü]+){0,2}[ :=]{1,4}([a-z]{4}(?:-[a-z]{4}){3})\b`

// networkWords are the keywords of commands that tell a router, an access point or a firewall a password.
func networkWords() []keyword {
	return slices.Concat(
		keywords(routerSecret, "isakmp key ", "pre-shared-secret ", "ppp chap password ", "ip ospf authentication-key ", "ip ftp password ", "snmp community ", "rocommunity ", "rwcommunity ", "ldp neighbor "),
		keywords(serverKey, "\n key ", "\n  key ", "\n\tkey "),
		keywords(bridgeKey, "/api/"),
		keywords(wirelessKey, "].key=", ".sae_password=", "_wpa_psk="),
		keywords(argument, "option key", "option password", "option psk"),
		keywords(networkKey, "schl\u00fcssel"),
		keywords(lettered, " p: "),
	)
}

// routerSecret finds the word behind a command, with or without the number that says how it is written.
func routerSecret(text []byte, i, n int, add func(span)) {
	at := i + n
	if at+1 < len(text) && isDigit(text[at]) && text[at+1] == ' ' {
		at += 2
	}
	commandPassword(text, at, wordStop(text, at, lineEnd(text, at)), add)
}

// serverKey finds the key on the line below the one that names a server to ask who may come in.
func serverKey(text []byte, i, n int, add func(span)) {
	if mentions(text[lineStart(text, i):i], "aaa-server", "radius", "tacacs") {
		routerSecret(text, i, n, add)
	}
}

// networkKey finds the key of a network that a sentence names by the word for keys in general.
func networkKey(text []byte, i, n int, add func(span)) {
	if !mentions(text[max(lineStart(text, i), i-80):i], "wlan", "wifi", "wi-fi", "netz", "ssid") {
		return
	}
	foreign(password)(text, i, n, add)
	at := skipAny(text, i+n, 3, " :=\t")
	if v := wordAt(text, at); v.end-v.start >= 8 && coined(text[v.start:v.end]) && closing(text, v) {
		add(span{v.start, v.end, -1, kindPassword})
	}
	if v, ok := saidPassword(text, at); ok {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// lettered finds a password behind the letter P where a user stands behind a letter U.
func lettered(text []byte, i, n int, add func(span)) {
	line := lineStart(text, i)
	near := strings.ToLower(string(text[max(line, i-60):i]))
	if k := strings.LastIndex(near, "u: "); k < 0 || k > 0 && isLetter(near[k-1]) {
		return
	}
	if v, ok := tellingWord(text, i+n); ok {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// tellingWord is the word at i when it can be nothing but a password.
func tellingWord(text []byte, i int) (value, bool) {
	stop := wordEnd(text, i, min(len(text), i+maxQuoted))
	if v, ok := loudWord(text, i, stop); ok {
		return v, true
	}
	v := wordAt(text, i)
	return v, v.end > i && strongWord(text[i:v.end])
}
