package redact

import "bytes"

// handedToken finds what a program is given to know it by when it is first told who runs it: PROGRAM init TOKEN. Only what
// chance has made is taken for it: names and places stand there too.
func handedToken(text []byte, i, n int, add func(span)) {
	stop := wordStop(text, i+n, lineEnd(text, i))
	b := text[i+n : stop]
	if len(b) < 24 || len(b) > maxTail || bytes.ContainsAny(b, "/:.=@$\\") || !hasDigit(b) || digestLike(b) && len(b) >= 40 || placeholder(b) {
		return
	}
	if machineMade(b) && !uuidAt(b) && longestRun(b) >= minTail {
		add(span{i + n, stop, -1, kindToken})
	}
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

// expectAnswer finds what a script types when it is asked for a password.
func expectAnswer(text []byte, i, n int, add func(span)) {
	if !mentions(text[max(0, lineStart(text, i)-cardBehind):i], "assword", "assphrase", "asswort", "asscode") {
		return
	}
	start := i + n
	stop := start
	for stop < len(text) && stop-start < maxQuoted && text[stop] >= ' ' && text[stop] != '"' {
		if text[stop] == '\\' && stop+1 < len(text) && among("rn", text[stop+1]) {
			break
		}
		stop++
	}
	if b := text[start:stop]; len(b) >= 4 && !placeholder(b) && !reference(b) && b[0] != '$' {
		add(span{start, stop, -1, kindPassword})
	}
}
