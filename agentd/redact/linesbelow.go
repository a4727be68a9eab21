package redact

import "bytes"

// Behind a question for a secret its answer stands in one of this many lines.
const answerLines = 4

// toldLater finds what somebody says to a question: a password or a number that is a message of its own, or ends one.
func toldLater(text []byte, i, n int, add func(span)) {
	if i > 0 && isWord(text[i-1]) && text[i-1] < 0x80 || i+n < len(text) && among("_=(\"'.-/", text[i+n]) {
		return
	}
	from, line := lineStart(text, i), lineEnd(text, i)
	head := bytes.TrimLeft(text[from:line], "> \t")
	asked, label := bytes.IndexByte(text[i:line], '?') >= 0, len(bytes.TrimSpace(head)) == n
	if line >= len(text) || len(head) > 160 || !asked && !label && !spoken(text, from) || bytes.ContainsAny(head, "={}<>;|") {
		return
	}
	if mentions(head, "release", "review", "version", "error", "country", "postal", "zip") {
		return
	}
	code := !mentions(text[i:i+n], "pass", "wifi", "kenn", "wlan", "login", "pw", "pin")
	for k := 0; k < answerLines && line < len(text); k++ {
		start := skipAny(text, line+1, 6, "> \t")
		line = lineEnd(text, line+1)
		if line-start > 200 || !asked && !spoken(text, start) && !(label && k == 0) {
			return
		}
		said := pastSpeaker(text, start)
		if saidLine(text, said, line, code, asked, add) && !asked {
			return
		}
	}
}

// spoken says whether a line begins as messages and transcripts do: a time in brackets, or a name and a colon.
func spoken(text []byte, at int) bool { return pastSpeaker(text, at) > at }

// saidLine reports the secret of one message.
func saidLine(text []byte, at, line int, code, asked bool, add func(span)) bool {
	if at >= line {
		return false
	}
	if code {
		return saidCode(text, at, line, add)
	}
	whole := bytes.TrimSpace(text[at:line])
	if v := wordAt(text, at).emphatic(text); v.end-v.start >= len(whole) && composed(text[v.start:v.end]) && len(whole) >= 8 {
		add(span{v.start, v.end, -1, kindPassword})
		return true
	}
	if !asked {
		return false
	}
	for k := at; k < line; {
		stop := wordEnd(text, k, line)
		v := wordAt(text, k).emphatic(text)
		if b := text[v.start:max(v.start, v.end)]; len(b) >= 8 && coined(b) && (phrased(b) || marked(b)) && endsClause(text, v.end) {
			add(span{v.start, v.end, -1, kindPassword})
			return true
		}
		k = stop + 1
	}
	return false
}

// saidCode reports a number that is a message of its own, or is said digit by digit.
func saidCode(text []byte, at, line int, add func(span)) bool {
	for k := at; k < line; k++ {
		if !isDigit(text[k]) || k > at && text[k-1] != ' ' {
			continue
		}
		v, ok := codeGroup(text, k, line)
		if !ok {
			return false
		}
		b := text[v.start:v.end]
		alone := len(bytes.TrimSpace(text[at:line])) == len(b)
		if spelled(b) || alone && len(b) >= 4 {
			add(span{v.start, v.end, -1, "pin"})
			return true
		}
	}
	return false
}

// spelled says whether b is digits with a hyphen or blank between each two.
func spelled(b []byte) bool {
	for k, c := range b {
		if (k%2 == 0) != isDigit(c) {
			return false
		}
	}
	return len(b) >= 7
}

// shownCodes finds the numbers of a programme for second factors: lines with two groups of three digits.
func shownCodes(text []byte, i, n int, add func(span)) {
	for line, k := lineEnd(text, i+n), 0; k < 24 && line < len(text); k++ {
		start := skipAny(text, line+1, 8, " \t")
		line = lineEnd(text, line+1)
		b := bytes.TrimSpace(text[min(start, line):line])
		if len(b) == 7 && b[3] == ' ' && isDigits(b[:3]) && isDigits(b[4:]) {
			add(span{start, start + 7, -1, "pin"})
		}
	}
}

// digitKey finds the twenty digits of a router's key: four groups of five.
func digitKey(text []byte, i, n int, add func(span)) {
	line := min(lineEnd(text, i), i+n+40)
	for k := i + n; k < line; k++ {
		if !isDigit(text[k]) || isWord(text[k-1]) {
			continue
		}
		at, groups := k, 0
		end, size := at, 0
		for groups < 6 {
			n := skipAny(text, at, 6, "0123456789") - at
			if n < 4 || n > 5 || size > 0 && n != size || at+n < len(text) && isWord(text[at+n]) {
				break
			}
			groups, size, end = groups+1, n, at+n
			at = skipAny(text, end, 2, " -")
		}
		if groups*size >= 16 {
			add(span{k, end, -1, kindPassword})
			return
		}
	}
}
