package redact

import "bytes"

// inserted finds the secrets of an INSERT: the values of the columns whose names promise one.
func inserted(text []byte, i, n int, add func(span)) {
	end := min(len(text), i+maxForm)
	open := bytes.IndexByte(text[i:end], '(')
	if open < 0 {
		return
	}
	columns := i + open + 1
	stop := bytes.IndexByte(text[columns:end], ')')
	if stop < 0 {
		return
	}
	wanted := map[int][]byte{}
	for k, c := range bytes.Split(text[columns:columns+stop], []byte(",")) {
		if c = bytes.Trim(c, " \t\r\n\"`[]"); strengthOf(c) >= token {
			wanted[k] = c
		}
	}
	at := skipAny(text, columns+stop+1, 8, " \t\r\n")
	if len(wanted) == 0 || !hasFold(text[at:], "values") {
		return
	}
	for at += len("values"); ; {
		if at = skipAny(text, at, 40, " \t\r\n,"); at >= end || text[at] != '(' {
			return
		}
		at = rowValues(text, at+1, end, wanted, add)
	}
}

// copied finds the secrets of the rows that a dump of PostgreSQL copies from the lines below: the columns whose names promise
// one.
func copied(text []byte, i, n int, add func(span)) {
	line, end := ruleLine(text, i)
	head := text[line:i]
	open, stop := bytes.IndexByte(head, '('), bytes.LastIndexByte(head, ')')
	if !hasFold(bytes.TrimSpace(head), "copy ") || open < 0 || stop < open {
		return
	}
	wanted := map[int]strength{}
	columns := bytes.Split(head[open+1:stop], []byte(","))
	for k, c := range columns {
		if how := strengthOf(bytes.Trim(c, " \"")); how >= token {
			wanted[k] = how
		}
	}
	for row := 0; row < maxRows && len(wanted) > 0 && end < len(text); row++ {
		line = end + 1
		if end = lineEnd(text, line); bytes.Count(text[line:end], []byte{'\t'}) != len(columns)-1 {
			return
		}
		for k, how := range wanted {
			cell(text, line, end, '\t', k, how, add)
		}
	}
}

// rowValues reads one row of values and says where it ends.
func rowValues(text []byte, at, end int, wanted map[int][]byte, add func(span)) int {
	for k := 0; at < end; k++ {
		at = skipAny(text, at, 40, " \t\r\n")
		v, ok := readValue(text, at, value{})
		if ok && v.quoted {
			if name := wanted[k]; name != nil {
				judge(text, name, strengthOf(name), v, add)
			}
			at = v.end + 1
		}
		for at < end && text[at] != ',' {
			if text[at] == ')' {
				return at + 1
			}
			at++
		}
		at++
	}
	return end
}
