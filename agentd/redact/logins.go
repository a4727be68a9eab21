package redact

import (
	"bytes"
	"strings"
)

// usingWords stand before what somebody logs in with.
var usingWords = set(`use using with enter mit benutze verwende nutze avec utilise utilisez con usa use usar utiliza com met gebruik z użyj hasłem`)

// joinWords stand between a user and a password.
var joinWords = set(`and und et y e i en och og ja a /`)

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
		stop := wordEnd(text, at, high)
		word := text[at:stop]
		if using--; using > 0 && (address(word) || joinWords[strings.ToLower(string(word))]) {
			at, paired = stop+1, true
			continue // the name of the user first
		}
		if v := wordAt(text, at+1).emphatic(text); using > 0 && text[at] == '`' && v.end < high && text[v.end] == '`' && coined(text[at+1:v.end]) && (paired || phrased(text[at+1:v.end])) {
			add(span{at + 1, v.end, -1, kindPassword})
		}
		if v := wordAt(text, at).emphatic(text); using > 0 && v.end > at && v.end <= stop && (strongWord(text[at:v.end]) || paired && coined(text[at:v.end]) && phrased(text[at:v.end])) {
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

// before finds a password that a sentence names before it says what it is.
func before(text []byte, i, _ int, add func(span)) {
	if v, ok := tellingBefore(text, i, password); ok {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// pairing finds a name and a password with a stroke between them behind a word that announces both.
func pairing(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 4, " :=\t(")
	if at == i+n {
		return
	}
	user := at
	for at < len(text) && at < i+n+60 && (isWord(text[at]) || strings.IndexByte(".-@+", text[at]) >= 0) {
		at++
	}
	sign := skipAny(text, at, 2, " ")
	if sign >= len(text) || strings.IndexByte("/|:,", text[sign]) < 0 {
		if sign == at || !mailbox(text[user:at]) {
			return
		}
		sign = at // the address of a mailbox is a name for sure
	}
	v := wordAt(text, skipAny(text, sign+1, 2, " "))
	if v.end <= v.start || !v.isPassword(text, nil, text[v.start:v.end]) {
		return
	}
	v = v.emphatic(text)
	if b := text[v.start:v.end]; strongWord(b) || closing(text, v) && (literal(b, password) || coined(b) && credentialsWord(text[i:i+n])) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// userTable finds the passwords of a table from the names of users to them.
func userTable(text []byte, i, n int, add func(span)) {
	at, end := i+n, min(len(text), i+maxForm)
	for range maxCodes {
		name, ok := readValue(text, skipAny(text, at, 40, " \t\r\n,"), value{})
		if !ok || !name.quoted || name.end >= end {
			return
		}
		sign := skipAny(text, name.after(), 4, " :=>")
		pass, ok := readValue(text, sign, value{})
		if !ok || !pass.quoted || sign == name.after() {
			return
		}
		if b := text[pass.start:pass.end]; strongWord(b) {
			add(span{pass.start, pass.end, -1, kindPassword})
		}
		at = pass.after()
	}
}

// credentialsWord says whether a word announces a name and a password, and nothing else with a stroke in it.
func credentialsWord(b []byte) bool {
	return hasFold(b, "cred") || hasFold(b, "zugangsd") || hasFold(b, "anmelded") || hasFold(b, "identif") || hasFold(b, "inloggeg") || hasFold(b, "dane log") || hasFold(b, "user") || hasFold(b, "login")
}
