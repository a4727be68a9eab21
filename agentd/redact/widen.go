package redact

import "bytes"

// A value that is written in more signs than it has is found up to the first of those that end others.
const (
	widenLimit = 200 // bytes that a finding may grow by
	mailAround = 400 // bytes before it that are looked at for signs of a mail
)

// widened is f with the rest of its value: the padding of base64, what a mail put on the next line, and what stands before
// a quote that SQL doubles.
func widened(text []byte, f span) span {
	if f.secret >= 0 || f.kind == kindPrivateKey {
		return f
	}
	f.end = padded(text, f)
	f.end = overSoftBreak(text, f)
	f.start = beforeDoubled(text, f)
	return f
}

// padded is where f ends when signs of padding stand behind it that belong to its base64.
func padded(text []byte, f span) int {
	k := skipAny(text, f.end, 2, "=")
	if f.end-f.start < 40 || k == f.end || k < len(text) && (isWord(text[k]) || text[k] == '=') || class[text[f.end-1]]&clsBase64 == 0 || k < len(text) && text[k] == '\n' && mailEncoded(text, f.start) {
		return f.end
	}
	from, _ := rowAround(text, f.start, f.end)
	if (k-from)%4 != 0 {
		return f.end
	}
	return k
}

// overSoftBreak is where f ends when a mail broke its line in the middle of the value.
func overSoftBreak(text []byte, f span) int {
	sign := f.end
	if sign < len(text) && sign > 0 && text[sign-1] == '=' && among("\r\n", text[sign]) {
		sign--
	}
	next := skipAny(text, sign+1, 1, "\r")
	if sign >= len(text) || text[sign] != '=' || next >= len(text) || text[next] != '\n' || !mailEncoded(text, f.start) {
		return f.end
	}
	stop := next + 1
	for stop < min(len(text), next+widenLimit) && text[stop] > ' ' && !among("\"'<>&;", text[stop]) {
		stop++
	}
	if stop == next+1 {
		return f.end
	}
	return stop
}

// mailEncoded says whether the text before i is that of a mail in which signs are written as two digits of base 16.
func mailEncoded(text []byte, i int) bool {
	near := text[max(0, i-mailAround):i]
	if mentions(near, "quoted-printable") {
		return true
	}
	for k := 0; k+2 < len(near); k++ {
		if near[k] == '=' && (near[k+1] == 'C' || near[k+1] == '3' && near[k+2] == 'D' || near[k+1] == '2' && near[k+2] == '0') && isHex(near[k+2]) {
			return true
		}
	}
	return false
}

// beforeDoubled is where f begins when two quotes, which stand for one, cut off its beginning.
func beforeDoubled(text []byte, f span) int {
	k := f.start - 2
	if k < 2 || text[k] != '\'' || text[k+1] != '\'' || !isWord(text[k-1]) || f.end >= len(text) || text[f.end] != '\'' {
		return f.start
	}
	open := bytes.LastIndexByte(text[max(0, k-widenLimit):k], '\'')
	if open < 0 || bytes.IndexByte(text[max(0, k-widenLimit)+open:k], '\n') >= 0 {
		return f.start
	}
	return max(0, k-widenLimit) + open + 1
}
