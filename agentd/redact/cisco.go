package redact

import "bytes"

// ciscoSecret finds the password of a user as switches and routers are told it.
func ciscoSecret(text []byte, i, n int, add func(span)) {
	if line := lineStart(text, i); len(bytes.TrimSpace(text[line:i])) > 0 && bytes.ContainsAny(text[line:i], "(){}") {
		return // a program
	}
	at := i + n
	for at < len(text) && at < i+n+40 && text[at] > ' ' {
		at++
	}
	at = skipAny(text, at, 1, " ")
	if hasFold(text[at:], "privilege ") {
		at = skipAny(text, at+len("privilege "), 3, "0123456789 ")
	}
	for _, w := range []string{"secret ", "password "} {
		if !hasFold(text[at:], w) {
			continue
		}
		at += len(w)
		if at+2 < len(text) && isDigit(text[at]) && text[at+1] == ' ' {
			at += 2
		}
		commandPassword(text, at, wordStop(text, at, lineEnd(text, at)), add)
		return
	}
}
