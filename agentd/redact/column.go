package redact

import (
	"bytes"
	"strings"
)

// maxRows is how many lines below the head of a table are read.
const maxRows = 200

// column finds the secrets of a table whose head names a column of them at i.
func column(text []byte, i, after int, how strength, add func(span)) {
	if how == pin {
		pinColumn(text, i, after, add)
		return
	}
	if how == weak && loginColumn(text, i) {
		how = password
	}
	if how < token {
		return
	}
	fixedColumn(text, i, after, how, add)
	if after = skipAny(text, after, maxNameRun, " \"'\r"); after < len(text) && text[after] != '\n' && delimiter(text[after]) == 0 {
		return
	}
	line := lineStart(text, i)
	sign := byte(0)
	for k := i; k > line && sign == 0; k-- {
		sign = delimiter(text[k-1])
	}
	end := lineEnd(text, i)
	for k := i; k < end && sign == 0; k++ {
		sign = delimiter(text[k])
	}
	if sign == 0 || end-line > maxForm {
		return
	}
	head := bytes.Split(text[line:end], []byte{sign})
	at := bytes.Count(text[line:i], []byte{sign})
	if above := lineStart(text, max(0, line-1)); line > 0 && bytes.Count(text[above:line-1], []byte{sign}) == len(head)-1 && !ruled(text[above:line-1]) {
		return // a row like the ones above it
	}
	for _, h := range head {
		if len(h) > 60 || bytes.ContainsAny(h, "(){}=<>") {
			return // a line of a program
		}
	}
	if name := bytes.Trim(head[at], " \"'\r"); len(head) < 2 || len(bytes.TrimSpace(head[len(head)-1])) == 0 && sign != '|' || sign == '\t' && len(head[0]) == 0 || len(name) > maxNameRun || bytes.Count(name, []byte(" ")) > 3 {
		return
	}
	for row := 0; row < maxRows && end < len(text); row++ {
		line = end + 1
		if end = lineEnd(text, line); ruled(text[line:end]) {
			continue // between the head and the rows
		}
		if line >= end || signsIn(text[line:end], sign) != len(head)-1 {
			return
		}
		cell(text, line, end, sign, at, how, add)
	}
}

// ruled says whether a line of a table is one drawn with signs.
func ruled(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) >= 3 && len(bytes.Trim(line, "-+|=: ")) == 0
}

func delimiter(c byte) byte {
	if strings.IndexByte(",;\t|", c) >= 0 {
		return c
	}
	return 0
}

// signAt is where the first sign of a line stands that parts its cells, or -1: one in quotes does not.
func signAt(line []byte, sign byte) int {
	quoted := false
	for k, c := range line {
		switch {
		case c == '"' && sign != '|':
			quoted = !quoted
		case c == sign && !quoted && (sign != '|' || k == 0 || line[k-1] != '\\'):
			return k
		}
	}
	if !quoted {
		return -1
	}
	return bytes.IndexByte(line, sign) // nothing closes the quote
}

// signsIn counts the signs of a line that part its cells.
func signsIn(line []byte, sign byte) (n int) {
	for {
		k := signAt(line, sign)
		if k < 0 {
			return n
		}
		n, line = n+1, line[k+1:]
	}
}

// cell reports what stands in one cell of a line when it can be a secret.
func cell(text []byte, start, end int, sign byte, at int, how strength, add func(span)) {
	start, end = cellAt(text, start, end, sign, at)
	b := bytes.Trim(text[start:end], " \"'\r\t`")
	n := len(b)
	marked := n > 7 && bytes.HasPrefix(b, []byte("**")) && bytes.HasSuffix(b, []byte("**"))
	if marked {
		b = b[2 : n-2]
	}
	whole, login := b, how == password
	b = bytes.ReplaceAll(b, []byte(`\|`), nil)
	secret, kind := literal(b, how), kindToken
	if how == password {
		secret, kind = secret || marked && isDigits(b) && len(b) <= 8 || len(b) >= 6 && mixed(b) && hasDigit(b) && !placeholder(b) && !dateLike(b) && !linkish(b) && bytes.IndexByte(b, ' ') < 0 && !ordinal(b), kindPassword
	}
	if !secret && (!login || len(whole) == len(b) || len(b) < 6 || bytes.IndexByte(b, ' ') >= 0) { // a stroke within a cell is no prose
		return
	}
	start += bytes.Index(text[start:end], whole)
	add(span{start, start + len(whole), -1, kind})
}

// loginColumn says whether the head of a table at i, drawn with strokes, names who logs in beside a key.
func loginColumn(text []byte, i int) bool {
	line := text[lineStart(text, i):lineEnd(text, i)]
	return len(line) > 0 && line[0] == '|' && mentions(line, "user", "login", "benutzer", "usuario", "utilisateur", "account", "konto")
}
