package redact

import "bytes"

// fixedColumn finds the passwords of a table whose columns stand below each other, under the head of theirs at start.
func fixedColumn(text []byte, start, end int, how strength, add func(span)) {
	line, stop := lineStart(text, start), lineEnd(text, end)
	head := text[line:stop]
	if how < token || !headOf(head) || start > line && !bytes.HasSuffix(text[line:start], []byte("  ")) || end < stop && !bytes.HasPrefix(text[end:stop], []byte("  ")) {
		return
	}
	if above := lineStart(text, max(0, line-1)); line > 0 && headOf(text[above:max(above, line-1)]) {
		return // a row like the one above it
	}
	at := start - line
	for row := 0; row < maxRows && stop < len(text); row++ {
		line = stop + 1
		stop = lineEnd(text, line)
		if ruled(text[line:stop]) {
			continue
		}
		if line+at >= stop || at > 0 && text[line+at-1] != ' ' {
			return
		}
		v := value{start: line + at, end: wordEnd(text, line+at, stop)}
		if b := text[v.start:v.end]; literal(b, how) || how == password && coined(b) {
			add(span{v.start, v.end, -1, how.kind()})
		}
	}
}

// headOf says whether a line is the head of such a table: names of one word, two blanks or more between them.
func headOf(head []byte) bool {
	if len(head) > 200 || bytes.ContainsAny(head, "(){}=<>,;:|\"'#") {
		return false
	}
	names := 0
	for name := range bytes.SplitSeq(head, []byte("  ")) {
		if name = bytes.TrimSpace(name); len(name) == 0 {
			continue
		}
		if bytes.IndexByte(name, ' ') > 0 || class[name[0]]&(clsUpper|clsLower) == 0 {
			return false
		}
		names++
	}
	return names >= 2
}

// pinColumn finds the numbers of a table below a head that says pin, when all of them are as long as pins are.
func pinColumn(text []byte, start, end int, add func(span)) {
	line, stop := lineStart(text, start), lineEnd(text, end)
	sign := byte(0)
	for _, k := range []int{start - 1, end} {
		if k >= line && k < stop && delimiter(text[k]) != 0 {
			sign = text[k]
		}
	}
	cells := bytes.Count(text[line:stop], []byte{sign})
	if sign == 0 || start > line && text[start-1] != sign || end < stop && text[end] != sign {
		return
	}
	at, size := bytes.Count(text[line:start], []byte{sign}), 0
	var found []span
	for row := 0; row < maxRows && stop < len(text); row++ {
		line = stop + 1
		stop = lineEnd(text, line)
		if line >= stop || signsIn(text[line:stop], sign) != cells {
			break
		}
		from, to := cellAt(text, line, stop, sign, at)
		b := bytes.TrimRight(text[from:to], "\r")
		if len(b) < 4 || len(b) > 8 || !isDigits(b) || size > 0 && len(b) != size {
			return
		}
		size = len(b)
		found = append(found, span{from, from + size, -1, "pin"})
	}
	for _, f := range found {
		add(f)
	}
}

// cellAt is where one cell of a line stands.
func cellAt(text []byte, start, end int, sign byte, at int) (int, int) {
	for ; at > 0; at-- {
		start += signAt(text[start:end], sign) + 1
	}
	if k := signAt(text[start:end], sign); k >= 0 {
		end = start + k
	}
	return start, end
}
