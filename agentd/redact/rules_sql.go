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
	wanted, _ := wantedColumns(text[columns : columns+stop])
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
	line, end := lineStart(text, i), lineEnd(text, i)
	head := text[line:i]
	open, stop := bytes.IndexByte(head, '('), bytes.LastIndexByte(head, ')')
	if !hasFold(bytes.TrimSpace(head), "copy ") || open < 0 || stop < open {
		return
	}
	wanted, columns := wantedColumns(head[open+1 : stop])
	rowsBelow(text, end, columns, wanted, add)
}

// selected finds the secrets of the rows below a query that asks for them, when nothing but a sign stands between columns.
func selected(text []byte, i, n int, add func(span)) {
	end := lineEnd(text, i)
	from := bytes.Index(bytes.ToLower(text[i:min(end, i+300)]), []byte(" from "))
	if from < n {
		return
	}
	wanted, columns := wantedColumns(text[i+n : i+from])
	rowsBelow(text, end, columns, wanted, add)
}

// wantedColumns are the names in a list that promise a secret, by their places, and how many names it has.
func wantedColumns(list []byte) (map[int][]byte, int) {
	wanted, columns := map[int][]byte{}, bytes.Split(list, []byte(","))
	for k, c := range columns {
		if c = bytes.Trim(c, " \t\r\n\"`[]"); strengthOf(c) >= token {
			wanted[k] = c
		}
	}
	return wanted, len(columns)
}

// rowsBelow finds the secrets of the rows below the line that ends at end, as far as they have so many columns.
func rowsBelow(text []byte, end, columns int, wanted map[int][]byte, add func(span)) {
	for row := 0; row < maxRows && len(wanted) > 0 && end < len(text); row++ {
		line := end + 1
		end = lineEnd(text, line)
		sign := byte('|')
		if bytes.IndexByte(text[line:end], '\t') >= 0 {
			sign = '\t'
		}
		if bytes.Count(text[line:end], []byte{sign}) != columns-1 || end == line {
			return
		}
		for k, name := range wanted {
			cell(text, line, end, sign, k, strengthOf(name), add)
		}
	}
}

// identified finds the password that SQL gives a user: IDENTIFIED BY '…'.
func identified(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 4, " \t\r\n")
	for _, w := range []string{"values ", "password "} {
		if hasFold(text[at:], w) {
			at = skipAny(text, at+len(w), 2, " ")
		}
	}
	v, ok := readValue(text, at, value{})
	if b := text[v.start:v.end]; ok && (v.quoted || coined(b) || literal(b, password)) {
		judge(text, []byte("identified by"), password, v, add)
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
