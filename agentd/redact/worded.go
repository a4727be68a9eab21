package redact

import "bytes"

// wordedValue reads a value behind a name and a space: of an option, of SQL, of a sentence.
func wordedValue(text []byte, start, at int, how strength) (value, bool) {
	if flagged(text, start) {
		return readValue(text, at, value{flag: true})
	}
	if text[at] == '\'' || text[at] == '"' || text[at] == '`' {
		return readValue(text, at, value{prose: true})
	}
	if netrc(text, start) {
		return readValue(text, at, value{tight: true})
	}
	if k := typedAssignment(text, at); k > 0 {
		return readValue(text, skipAny(text, k, 4, " \t"), value{})
	}
	if v := wordAt(text, at).emphatic(text); v.end > at && how == password && (strongWord(text[at:v.end]) || digestLike(text[at:v.end]) && v.end-at >= 32 || closing(text, v) && v.end-at >= 10 && literal(text[at:v.end], how) || coined(text[at:v.end]) && phrased(text[at:v.end]) && v.end-at >= 8) {
		return v, true
	}
	if v := wordAt(text, at); v.end > at && how == password && hasFold(text[v.end:], " olarak") && coined(text[at:v.end]) {
		return v, true
	}
	if v, ok := predecessor(text, at); ok && how == password {
		return v, true
	}
	if how == pin && hasFold(text[at:], "code of ") {
		return value{}, false // of a place
	}
	line := lineEnd(text, at)
	for k := at; k < line && k < at+60; {
		stop := k
		for stop < line && text[stop] > ' ' && text[stop] != ':' {
			stop++
		}
		if stop < line && isCopula(text[k:stop]) {
			from := skipMarks(text, skipFillers(text, skipAny(text, stop, 4, " \t:"), line))
			v, ok := readValue(text, from, value{prose: true})
			if b := text[v.start:v.end]; ok && (v.quoted || mixed(b) && !letters(b) || how == pin && len(b) >= 4 && isPin(b)) {
				return v, true
			}
		}
		if stop < line && text[stop] == ':' && (stop > k && !isDigits(text[k:stop]) && !bytes.ContainsAny(text[k:stop], "=") || stop == k && k > at && text[k-1] == ' ') {
			return readValue(text, skipAny(text, stop, 3, ": \t"), value{prose: true})
		}
		k = skipAny(text, max(stop, k+1), 3, " \t")
	}
	if how == password {
		return saidPassword(text, at)
	}
	return value{}, false
}

// closing says whether a value ends its line, or its part of it.
func closing(text []byte, v value) bool {
	k := skipAny(text, v.end, 3, " \t\r.")
	return k >= len(text) || among("\n,;|&#)", text[k]) || bytes.HasPrefix(text[k:], []byte("*/"))
}

// netrc says whether the name at i stands in a line of a netrc file, or of a server's configuration that gives nothing
// but a name and a value.
func netrc(text []byte, i int) bool {
	line := lineStart(text, i)
	before := bytes.ToLower(text[line:i])
	if bytes.Contains(before, []byte("login ")) && !bytes.HasSuffix(before, []byte("login ")) || bytes.Contains(before, []byte("machine ")) || bytes.HasSuffix(before, []byte("config set ")) || bytes.HasPrefix(bytes.TrimSpace(before), []byte("user ")) && len(bytes.Fields(before)) == 2 {
		return true
	}
	low := bytes.ToLower(text[i:min(len(text), i+12)])
	return len(bytes.TrimSpace(before)) == 0 && (bytes.HasPrefix(low, []byte("requirepass")) || bytes.HasPrefix(low, []byte("masterauth")) || bytes.HasPrefix(low, []byte("password ")) && previousLogin(text[:line]))
}

func previousLogin(before []byte) bool {
	tail := bytes.ToLower(before[max(0, len(before)-80):])
	return bytes.Contains(tail, []byte("login ")) || bytes.Contains(tail, []byte("machine ")) || bytes.Contains(tail, []byte("\nuser "))
}
