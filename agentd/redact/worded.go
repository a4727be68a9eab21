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
	if v := wordAt(text, at).emphatic(text); v.end > at && how == password && (strongWord(text[at:v.end]) || digestLike(text[at:v.end]) && v.end-at >= 32 || closing(text, v) && v.end-at >= 10 && literal(text[at:v.end], how) || follows(text, start, v)) {
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
			if b := text[v.start:v.end]; ok && !(how == password && !hasFold(text[start:], "has") && vague(text, k, stop) && !strongWord(b) && !(coined(b) && marked(b))) && (v.quoted || mixed(b) && !letters(b) || how == pin && len(b) >= 4 && isPin(b)) {
				return v, true
			}
		}
		if stop < line && text[stop] == ':' && (stop > k && !isDigits(text[k:stop]) && !dateLike(text[k:stop]) && !bytes.ContainsAny(text[k:stop], "=") || stop == k && k > at && text[k-1] == ' ') {
			return readValue(text, skipAny(text, stop, 3, ": \t"), value{prose: true})
		}
		if stop > k+1 && text[stop-1] == ',' && among("\"'", text[stop-2]) {
			break // the text in quotes has ended
		}
		k = skipAny(text, max(stop, k+1), 3, " \t")
	}
	if how == password {
		return saidPassword(text, at)
	}
	return value{}, false
}
