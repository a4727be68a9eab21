package redact

import (
	"bytes"
	"strings"
)

// protocolWords are the keywords of what programs say to each other to log in, and of files that hold just that.
func protocolWords() []keyword {
	var all []keyword
	say := func(run finder, words ...string) { all = append(all, keywords(run, words...)...) }
	say(lastArgument, "auth plain ", "auth login ", "auth xoauth2 ", "auth default ", "authenticate plain ", " : psk ", " : eap ", " : xauth ", " : rsa ")
	say(imapLogin, " login ")
	say(aclUser, "acl setuser ")
	say(aclRule, " on >")
	say(chapLine, "\" * \"", "\t*\t")
	say(tunnelLine, "l2tpd", "pptpd")
	say(typedSecret, "password 0 ", "secret 0 ", "password 7 ", "password 5 ", "key 7 ", "secret 5 ", "secret 8 ", "secret 9 ", "tacacs-server key ", "radius-server key ", "snmp community ", "pre-shared-key ", "key-string ", "wpa-psk ascii ")
	say(ldifValue, "userpassword::", "unicodepwd::", "sambantpassword:", "dockerconfigjson: ", "dockercfg: ")
	say(rootPair, "root / ", "admin / ", "administrator / ", "root:", "admin:", `admin": "`, `root": "`, "admin': '", "root/", "admin/", "administrator/")
	return all
}

// lastArgument finds what a line ends with behind words that announce it.
func lastArgument(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	start := skipAny(text, i+n, 2, " \"'")
	stop := wordStop(text, start, end)
	if b := text[start:stop]; len(b) >= 6 && len(bytes.TrimSpace(text[min(stop+1, end):end])) == 0 && !placeholder(b) && !reference(b) && !wordy(b) && !mechanism(b) {
		add(span{start, stop, -1, kindPassword})
	}
}

// mechanisms are what servers of mail call the ways in which one may log in.
var mechanisms = set(`plain login xoauth xoauth2 oauthbearer ntlm gssapi cram-md5 digest-md5 external anonymous plain-clienttoken`)

func mechanism(b []byte) bool {
	return mechanisms[strings.ToLower(string(b))] || hasFold(b, "scram-sha-")
}

// imapLogin finds the password of the command with which a mail program logs in: tag LOGIN user password.
func imapLogin(text []byte, i, n int, add func(span)) {
	line, end := lineStart(text, i), lineEnd(text, i)
	if i-line < 1 || i-line > 8 || !bytes.HasPrefix(text[i:], []byte(" LOGIN ")) || bytes.IndexByte(text[line:i], ' ') >= 0 || i-line > 1 && !hasDigit(text[line:i]) {
		return
	}
	user := wordStop(text, skipAny(text, i+n, 1, "\""), end)
	start := skipAny(text, user, 3, " \"")
	if stop := wordStop(text, start, end); stop-start >= 4 && start > user && !mechanism(text[start:stop]) {
		commandPassword(text, start, stop, add)
	}
}

// aclUser finds the passwords of a rule for a user of Redis.
func aclUser(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	for at := i; at+2 < end; at++ {
		if text[at] != ' ' || text[at+1] != '>' && text[at+1] != '#' {
			continue
		}
		if stop := wordStop(text, at+2, end); stop-at > 5 && !placeholder(text[at+2:stop]) {
			add(span{at + 2, stop, -1, kindPassword})
		}
	}
}

// aclRule is aclUser for a line of the file that holds such rules.
func aclRule(text []byte, i, n int, add func(span)) {
	if line := lineStart(text, i); hasFold(text[line:], "user ") {
		aclUser(text, i, n, add)
	}
}

// chapLine finds the secret of a line of a file for PPP: client, server, secret and addresses.
func chapLine(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	start := skipAny(text, i+n, 1, "\"")
	if stop := wordStop(text, start, end); stop-start >= 4 && !placeholder(text[start:stop]) && hasDigit(text[start:stop]) {
		add(span{start, stop, -1, kindPassword})
	}
}

// tunnelLine finds the secret of a line of the same file for the server of a tunnel: nothing but the client stands before
// the server, and nothing but addresses behind the secret.
func tunnelLine(text []byte, i, n int, add func(span)) {
	line, end := lineStart(text, i), lineEnd(text, i)
	client := bytes.TrimRight(text[line:i], "\"'")
	start := skipAny(text, skipAny(text, skipAny(text, i+n, 1, "\"'"), 8, " \t"), 1, "\"'")
	if start <= i+n || start >= end || len(client) == 0 || len(bytes.Fields(client)) != 1 || len(bytes.TrimRight(client, " \t")) == len(client) {
		return
	}
	stop := wordStop(text, start, end)
	rest := bytes.Trim(text[min(stop+1, end):end], " \t\r")
	if stop-start >= 4 && !placeholder(text[start:stop]) && hasDigit(text[start:stop]) && len(rest) > 0 && len(bytes.Trim(rest, "*0123456789.:/ \t")) == 0 {
		add(span{start, stop, -1, kindPassword})
	}
}

// typedSecret finds the secret behind the words with which switches and routers are told one.
func typedSecret(text []byte, i, n int, add func(span)) {
	if i > 0 && isWord(text[i-1]) {
		return
	}
	end := lineEnd(text, i)
	at := i + n
	if k := skipAny(text, at, 1, "0123456789"); k > at && k < end && text[k] == ' ' {
		at = k + 1
	}
	start := skipAny(text, at, 2, " \"")
	stop := wordStop(text, start, end)
	if b := text[start:stop]; len(b) >= 6 && hasDigit(b) && !placeholder(b) && !ordinal(b) && !dateLike(b) && (mixed(b) || digitsAt(b, 0) == len(b)) {
		add(span{start, stop, -1, kindPassword})
	}
}

// ldifValue finds a password that a directory or a cluster holds in base64.
func ldifValue(text []byte, i, n int, add func(span)) {
	start := skipAny(text, i+n, 2, " ")
	stop := start
	for stop < len(text) && (class[text[stop]]&clsBase64 != 0 || text[stop] == '=') {
		stop++
	}
	if stop-start >= 8 {
		add(span{start, stop, -1, kindPassword})
	}
}

// hostName says whether b is the name or the address of a machine.
func hostName(b []byte) bool {
	return len(b) >= 3 && bytes.IndexByte(b, '.') > 0 && len(bytes.Trim(b, "0123456789abcdefghijklmnopqrstuvwxyz.-:")) == 0
}

// rootPair finds the password beside the name of an account that everybody knows.
func rootPair(text []byte, i, n int, add func(span)) {
	if i > 0 && (isWord(text[i-1]) || among("/.-@:", text[i-1])) {
		return
	}
	v := wordAt(text, skipAny(text, i+n, 1, " ")).emphatic(text)
	if at := bytes.LastIndexByte(text[v.start:v.end], '@'); at > 0 && text[i+n-1] == ':' && v.start == i+n && hostName(text[v.start+at+1:v.end]) && coined(text[v.start:v.start+at]) {
		add(span{v.start, v.start + at, -1, kindPassword}) // and the host behind it
		return
	}
	if b := text[v.start:v.end]; v.end > v.start && strongWord(b) && !strings.Contains(string(b), ":") {
		add(span{v.start, v.end, -1, kindPassword})
	}
}
