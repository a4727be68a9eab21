package redact

import (
	"bytes"
	"unicode"
)

// handedToken finds what a program is given to know it by when it is first told who runs it: PROGRAM init TOKEN. Only what
// chance has made is taken for it: names and places stand there too.
func handedToken(text []byte, i, n int, add func(span)) {
	stop := wordStop(text, i+n, lineEnd(text, i))
	b := text[i+n : stop]
	if len(b) < 24 || len(b) > maxTail || bytes.ContainsAny(b, "/:.=@$\\") || !hasDigit(b) || numberOfRow(b) || placeholder(b) {
		return
	}
	if machineMade(b) && !uuidAt(b) && longestRun(b) >= minTail {
		add(span{i + n, stop, -1, kindToken})
	}
}

// numberOfRow says whether b is a number that programs give to rows, requests and states: hexadecimal digits alone, or 26
// capitals and digits that begin with the time.
func numberOfRow(b []byte) bool {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r > unicode.MaxASCII || !isHex(byte(r)) }) {
		return true
	}
	return len(b) == 26 && b[0] <= '7' && isDigit(b[0]) && !bytes.ContainsFunc(b, unicode.IsLower)
}

// rsaParts are the parts of a key that Windows writes as XML and that nobody may know.
var rsaParts = []string{"<d>", "<p>", "<q>", "<dp>", "<dq>", "<inverseq>"}

// rsaXML finds them.
func rsaXML(text []byte, i, _ int, add func(span)) {
	window := text[i:min(len(text), i+2*maxForm)]
	if k := bytes.Index(window, []byte("</RSAKeyValue>")); k > 0 {
		window = window[:k]
	}
	low := bytes.ToLower(window)
	for _, tag := range rsaParts {
		k := bytes.Index(low, []byte(tag))
		if k < 0 {
			continue
		}
		start := i + k + len(tag)
		if end := bytes.IndexByte(text[start:i+len(window)], '<'); end >= 16 {
			add(span{start, start + end, -1, kindPrivateKey})
		}
	}
}

// expectAnswer finds what a script types when it is asked for a password: it ends with the key that sends it off, as
// nothing that a sentence puts in quotes does.
func expectAnswer(text []byte, i, n int, add func(span)) {
	if !mentions(text[max(0, lineStart(text, i)-cardBehind):i], "assword", "assphrase", "asswort", "asscode") {
		return
	}
	start := i + n
	stop := start
	sent := false
	for !sent && stop < len(text) && stop-start < maxQuoted && text[stop] >= ' ' && text[stop] != '"' {
		if sent = text[stop] == '\\' && stop+1 < len(text) && among("rn", text[stop+1]); !sent {
			stop++
		}
	}
	if b := text[start:stop]; sent && len(b) >= 4 && !placeholder(b) && !reference(b) && b[0] != '$' {
		add(span{start, stop, -1, kindPassword})
	}
}
