package redact

import (
	"bytes"
	"strings"
)

// deviceStarts begin the lines with which switches, routers and firewalls are told what to do.
var deviceStarts = set(`set ip ipv6 aaa radius radius-server tacacs tacacs-server snmp snmp-server crypto neighbor standby vrrp area isis ntp
	authentication password server wpa username user ppp peer key-chain`)

// deviceSubjects say that such a line is about somebody who proves who he is.
var deviceSubjects = []string{"radius", "tacacs", "snmp", "vpn", "ipsec", "ospf", "bgp", "eigrp", "isis", "neighbor", "standby", "vrrp", "hsrp", "authentication", "user-name", "message-digest", "psksecret", "aaa", " ike ", "l2tp", "pppoe", "wireless", "wpa"}

// deviceSecret finds the word behind the name of a secret in a line that a device is configured with.
func deviceSecret(text []byte, i, n int, add func(span)) {
	line, end := lineStart(text, i), lineEnd(text, i)
	if i-line > lineBefore {
		return
	}
	head := bytes.TrimLeft(text[line:i], " \t")
	first, _, _ := strings.Cut(strings.ToLower(string(head)), " ")
	if !deviceStarts[first] || !mentions(text[line:i+n], deviceSubjects...) {
		return
	}
	at := skipAny(text, i+n, 2, " \"'")
	stop := wordStop(text, at, end)
	if b := text[at:stop]; (coined(b) || strongWord(b)) && len(bytes.Trim(text[min(stop, end):end], " \t\r\"'")) == 0 {
		add(span{at, stop, -1, kindPassword})
	}
}

// deviceWords are the names of secrets in such lines.
func deviceWords() []keyword {
	return keywords(deviceSecret, " secret ", " md5 ", " key ", " plaintext ", " psksecret ", " ascii-text ", " password ", " key-string ", " auth-key ")
}

// bridgeKey finds the user, made by chance, that the bridge of a home's lamps wants in the path of every request.
func bridgeKey(text []byte, i, n int, add func(span)) {
	const length = 40
	end := i + n
	for end < len(text) && end-i-n <= length && (isLetter(text[end]) || isDigit(text[end]) || text[end] == '-') {
		end++
	}
	if b := text[i+n : end]; len(b) == length && mixedCase(b) && hasDigit(b) && !wordy(b) && !structured(b) && (end == len(text) || !isWord(text[end])) {
		add(span{i + n, end, -1, kindToken})
	}
}

// maxWireless is more than a network lets its key have.
const maxWireless = 128

// wirelessKey finds the key of a network that a router is told as one of its settings.
func wirelessKey(text []byte, i, n int, add func(span)) {
	if !mentions(text[max(lineStart(text, i), i-maxNameRun):i+n], "wireless", "wifi", "wlan", "wpa", "sae") {
		return
	}
	start := skipAny(text, i+n, 1, "\"'")
	stop := wordStop(text, start, min(lineEnd(text, start), start+maxWireless+1))
	if b := text[start:stop]; len(b) >= 8 && len(b) <= maxWireless && !placeholder(b) && !reference(b) {
		add(span{start, stop, -1, kindPassword})
	}
}
