package redact

import "bytes"

// keyedBefore reads the text that a call stores under the name at i, which it gives behind it: set(…, forKey: "password").
func keyedBefore(text []byte, i int, how strength) (value, bool) {
	at := i
	for at > 0 && i-at < 4 && among("\"'@ ", text[at-1]) {
		at--
	}
	if v, ok := updated(text, i); ok && (literal(text[v.start:v.end], how) || how == password && coined(text[v.start:v.end])) {
		return v, true
	}
	if at < 12 || !bytes.EqualFold(text[at-len("forkey:"):at], []byte("forkey:")) {
		return value{}, false
	}
	line := lineStart(text, at)
	stop := bytes.LastIndexByte(text[line:at], '"')
	if stop < 1 {
		return value{}, false
	}
	start := bytes.LastIndexByte(text[line:line+stop], '"')
	v := value{start: line + start + 1, end: line + stop, quoted: true}
	b := text[v.start:v.end]
	return v, start >= 0 && (literal(b, how) || how == password && coined(b))
}

// updated is the text that an UPDATE sets where a column is the name at i: … SET value = '…' WHERE name = '….
func updated(text []byte, i int) (value, bool) {
	if i < 8 || text[i-1] != '\'' || !among("= ", text[i-2]) {
		return value{}, false
	}
	line := lineStart(text, i)
	before := bytes.ToLower(text[line:i])
	where := bytes.LastIndex(before, []byte(" where "))
	if where < 0 || bytes.Count(before[where:], []byte("'")) != 1 {
		return value{}, false
	}
	stop := bytes.LastIndexByte(before[:where], '\'')
	start := bytes.LastIndexByte(before[:max(stop, 0)], '\'')
	return value{start: line + start + 1, end: line + stop, quoted: true}, start >= 0 && stop > start
}

// registryValue reads what a command writes under a name into the registry of Windows: /v name /t type /d value.
func registryValue(text []byte, start, end int, how strength) (value, bool) {
	if start < 3 || !bytes.EqualFold(bytes.TrimRight(text[max(0, start-5):start], "\" "), []byte(" /v")) && !hasFold(text[max(0, start-3):], "/v ") {
		return value{}, false
	}
	stop := commandEnd(text, end)
	for _, flag := range []string{" /d ", " /D ", " -Value ", " -value "} {
		if k := bytes.Index(text[end:stop], []byte(flag)); k >= 0 {
			v, ok := readValue(text, end+k+len(flag), value{flag: true})
			b := text[v.start:v.end]
			return v, ok && (literal(b, how) || how == password && coined(b))
		}
	}
	return value{}, false
}

// behindUser reads the password behind the user whom a line names first: password: jane / ….
func behindUser(text []byte, i int, how strength) (value, bool) {
	at := skipAny(text, i, 4, " :\t")
	if how != password || at == i || at >= len(text) {
		return value{}, false
	}
	stop := at
	for stop < min(len(text), at+40) && (isWord(text[stop]) || among(".@-", text[stop])) {
		stop++
	}
	if sign := skipAny(text, stop, 1, " "); stop == at || sign == stop || sign+2 >= len(text) || text[sign] != '/' || text[sign+1] != ' ' {
		return value{}, false
	}
	v := wordAt(text, stop+3).emphatic(text)
	b := text[v.start:v.end]
	return v, v.end > v.start && closing(text, v) && coined(b)
}
