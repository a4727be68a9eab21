package redact

import (
	"bytes"
	"strings"
)

// fillers stand between what says that a password follows and the password.
var fillers = set(`now jetzt nun ab maintenant désormais ahora adesso nu agora teraz simply just currently still set zu`)

// usingWords stand before what somebody logs in with.
var usingWords = set(`use using with enter mit benutze verwende nutze avec utilise utilisez con usa use usar utiliza com met gebruik z użyj hasłem`)

// strongWord says whether a word of a sentence can only be a password or a token: no word, name, number or date looks so.
func strongWord(b []byte) bool {
	if len(b) < 8 || len(b) > maxQuoted || !hasDigit(b) || placeholder(b) || dateLike(b) || ordinal(b) || linkish(b) || uuidAt(b) || digestLike(b) || reference(b) || structured(b) {
		return false
	}
	if bytes.IndexByte(b, '@') > 0 && bytes.IndexByte(b, '.') > 0 || bytes.ContainsAny(b, "()<>[]{}|\"`") || bytes.HasPrefix(b, []byte("0x")) {
		return false
	}
	return randomish(b) && (mixedCase(b) || bytes.ContainsAny(b, "!#$%^&*?~"))
}

// wordAt is the word of a sentence that begins at i, without the sentence's own signs.
func wordAt(text []byte, i int) value {
	return value{start: i, end: bareEnd(text, i, value{prose: true}), prose: true}
}

// toldToken reads what a sentence says that a key or token is.
func toldToken(text []byte, at int) (value, bool) {
	line := lineEnd(text, at)
	for words := 0; words < 10 && at < line; words++ {
		stop := at
		for stop < line && text[stop] > ' ' {
			stop++
		}
		word := text[at:stop]
		at = skipAny(text, stop, 3, " \t")
		if at >= line || len(word) == 0 {
			break
		}
		if word[len(word)-1] == ':' || isCopula(word) {
			v, ok := readValue(text, skipFillers(text, at, line), value{prose: true})
			if b := text[v.start:v.end]; ok && len(b) >= 16 && (strongWord(b) || jumbled(b) && solid(b) || digestLike(b) && len(b) >= 32) {
				return v, true
			}
		}
		if k := word[len(word)-1]; k == '.' || k == '!' || k == '?' || k == ';' {
			break
		}
	}
	return value{}, false
}

func isCopula(word []byte) bool {
	low := strings.ToLower(string(word))
	for _, c := range copulas {
		if low == c {
			return true
		}
	}
	return false
}

// skipFillers goes over words that say nothing.
func skipFillers(text []byte, at, line int) int {
	for range 2 {
		stop := at
		for stop < line && text[stop] > ' ' && text[stop] != ':' {
			stop++
		}
		if !fillers[strings.ToLower(string(text[at:stop]))] {
			break
		}
		at = skipAny(text, stop, 4, " \t:")
	}
	return min(at, line)
}

// logins finds what a sentence says to log in with.
func logins(text []byte, i, n int, add func(span)) {
	low, high := max(0, i-80), min(len(text), i+n+100)
	if k := bytes.LastIndexByte(text[low:i], '\n'); k >= 0 {
		low += k + 1
	}
	if k := bytes.IndexByte(text[i:high], '\n'); k >= 0 {
		high = i + k
	}
	using := false
	for at := low; at < high; {
		stop := at
		for stop < len(text) && text[stop] > ' ' {
			stop++
		}
		if v := wordAt(text, at); using && v.end > at && v.end <= stop && strongWord(text[at:v.end]) {
			add(span{at, v.end, -1, kindPassword})
		}
		using = usingWords[strings.ToLower(string(text[at:stop]))]
		at = stop + 1
	}
}

// pairing finds a name and a password with a stroke between them behind a word that announces both.
func pairing(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 3, " :\t")
	if at == i+n {
		return
	}
	for at < len(text) && at < i+n+60 && (isWord(text[at]) || strings.IndexByte(".-@+", text[at]) >= 0) {
		at++
	}
	sign := skipAny(text, at, 2, " ")
	if sign >= len(text) || strings.IndexByte("/|:,", text[sign]) < 0 {
		return
	}
	if v := wordAt(text, skipAny(text, sign+1, 2, " ")); v.end > v.start && v.isPassword(text, nil, text[v.start:v.end]) && strongWord(text[v.start:v.end]) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// secondArgument finds the password behind a user's name, both in quotes.
func secondArgument(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 4, " (=")
	user, ok := readValue(text, at, value{})
	if !ok || !user.quoted {
		return
	}
	at = skipAny(text, user.end+1, 4, " ,")
	pass, ok := readValue(text, at, value{})
	if b := text[pass.start:pass.end]; ok && pass.quoted && at > user.end+1 && len(b) >= 4 && !placeholder(b) && !genericValue[strings.ToLower(string(b))] {
		add(span{pass.start, pass.end, -1, kindPassword})
	}
}

// argument finds a password that is the only thing in quotes behind a command.
func argument(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 2, " ")
	if hasFold(text[at:], "-string ") {
		at += len("-string ")
	}
	v, ok := readValue(text, at, value{})
	if b := text[v.start:v.end]; ok && v.quoted && len(b) >= 4 && !placeholder(b) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// piped finds what a line prints into a program that reads a password.
func piped(text []byte, i, _ int, add func(span)) {
	line := bytes.LastIndexByte(text[:i], '\n') + 1
	bar := bytes.LastIndexByte(text[line:i], '|')
	if bar < 0 || i-line > maxForm {
		return
	}
	said := text[line : line+bar]
	k := max(bytes.LastIndex(said, []byte("echo ")), bytes.LastIndex(said, []byte("printf ")))
	if k < 0 {
		return
	}
	start := line + k + bytes.IndexByte(said[k:], ' ') + 1
	for hasFold(text[start:], "-n ") || hasFold(text[start:], "-e ") || hasFold(text[start:], "'%s' ") || hasFold(text[start:], "%s ") {
		start += bytes.IndexByte(text[start:], ' ') + 1
	}
	start = skipAny(text, start, 2, " \"'")
	stop := wordStop(text, start, line+bar)
	if colon := bytes.IndexByte(text[start:stop], ':'); colon > 0 && hasFold(text[i:], "chpasswd") {
		start += colon + 1
	}
	if b := text[start:stop]; len(b) >= 4 && !placeholder(b) && !reference(b) {
		add(span{start, stop, -1, kindPassword})
	}
}
