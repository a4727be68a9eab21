package redact

import (
	"bytes"
)

// secondArgument finds the password behind a user's name, both in quotes.
func secondArgument(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 4, " (=")
	user, ok := readValue(text, at, value{})
	if !ok || !user.quoted {
		return
	}
	at = skipAny(text, user.end+1, 4, " ,")
	pass, ok := readValue(text, at, value{})
	if b := text[pass.start:pass.end]; ok && pass.quoted && at > user.end+1 && len(b) >= 4 && !placeholder(b) && !generic(b) {
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
	if b := text[v.start:v.end]; ok && len(b) >= 4 && !placeholder(b) && (v.quoted || coined(b) && b[0] != '$') {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// piped finds what a line prints into a program that reads a password.
func piped(text []byte, i, _ int, add func(span)) {
	line := lineStart(text, i)
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
