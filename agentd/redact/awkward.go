package redact

import "bytes"

// colourEnds end what a terminal is told before it shows a name or a value.
const colourEnds = `[0m |[0m:|[22m |[39m |[0;0m |[m `

// coloured finds the value behind a name that a terminal shows in a colour: the sign that ends the colour stands between them.
func coloured(text []byte, i, n int, add func(span)) {
	esc := bytes.TrimSuffix(bytes.TrimSuffix(text[:i], []byte("\x1b")), []byte("^["))
	name := bytes.TrimRight(esc, " ")
	signed := among(":", text[i+n-1]) || len(name) > 0 && name[len(name)-1] == ':'
	end := len(bytes.TrimRight(name[max(0, len(name)-3):], " :")) + max(0, len(name)-3)
	if len(esc) == i || !signed || end == 0 {
		return
	}
	from, _ := nameAround(text, end, end)
	from += bytes.LastIndexByte(text[from:end], '[') + 1
	how := strengthOf(nameOnly(text[from:end]))
	v := wordAt(text, skipColour(text, skipAny(text, i+n, 3, " "))).emphatic(text)
	b := text[v.start:v.end]
	if how == password && (composed(b) || literal(b, how)) || how == token && machineMade(b) || how == pin && isPin(b) && len(b) >= 4 {
		add(span{v.start, v.end, -1, how.kind()})
	}
}

// nameOnly is a name without the parameters of a colour that stand before it: 1mPassword.
func nameOnly(b []byte) []byte {
	k := skipAny(b, 0, 12, "0123456789;")
	if k > 0 && k < len(b) && b[k] == 'm' {
		return b[k+1:]
	}
	return b
}

// skipColour is what stands behind the colour that begins at i, if one does.
func skipColour(text []byte, i int) int {
	k := i
	if k < len(text) && text[k] == 0x1b {
		k++
	} else if k = skipAny(text, k, 1, "^"); k == i {
		return i
	}
	if k >= len(text) || text[k] != '[' {
		return i
	}
	if k = skipAny(text, k+1, 12, "0123456789;[") + 1; k <= len(text) && text[k-1] == 'm' {
		return k
	}
	return i
}

// misreadWords are names as a machine that reads print takes them: one letter for another of the same shape.
const misreadWords = `passw0rd|passw0rt|passvvor|pa55w|kennw0rt|kennvvort|schlüsse1|schiüssel|schlusse1|contrasefia|c0ntraseñ|m0t de passe|wachtw0ord|passwor1|has1o|hasl0`

// misreadPin finds the number behind a pin whose letter was misread.
func misreadPin(text []byte, i, n int, add func(span)) {
	if w := text[i : i+3]; bytes.Equal(w, []byte("PLN")) || bytes.Equal(w, []byte("pln")) || i > 0 && !among(" -\n\t", text[i-1]) {
		return
	}
	v := wordAt(text, skipAny(text, i+n, 12, " \t"))
	if b := text[v.start:v.end]; len(b) >= 4 && len(b) <= 8 && isDigits(b) && endsClause(text, v.end) {
		add(span{v.start, v.end, -1, "pin"})
	}
}

// entityQuoted finds the value of an attribute whose quotes are entities, behind the name that another such attribute gives.
func entityQuoted(text []byte, i, n int, add func(span)) {
	end := quotedEnd(text, i+n, "&quot;")
	if end <= i+n {
		return
	}
	line := max(lineStart(text, i), i-120)
	before := bytes.TrimRight(text[line:i], " ")
	name, ok := bytes.CutSuffix(before, []byte("&quot;"))
	if !ok {
		return
	}
	from := bytes.LastIndex(name, []byte("&quot;"))
	if from < 0 {
		return
	}
	how := strengthOf(name[from+len("&quot;"):])
	if b := text[i+n : end]; how >= token && len(b) >= 6 && !placeholder(b) && !reference(b) && (how == password && !generic(b) || literal(b, how)) {
		add(span{i + n, end, -1, how.kind()})
	}
}

// mistyped finds a password that was typed where a command or a name was asked for: what answers shows it.
func mistyped(text []byte, i, n int, add func(span)) {
	v := value{}
	if hasFold(text[i:], ": command") {
		v = value{start: wordStart(text, i), end: i}
	} else {
		v = wordAt(text, i+n).emphatic(text)
	}
	if got, ok := loudWord(text, v.start, v.end); ok {
		add(span{got.start, got.end, -1, kindPassword})
		return
	}
	if b := text[v.start:v.end]; bytes.IndexByte(b, '/') < 0 && (marked(b) && (strongWord(b) || coined(b)) || coined(b) && phrased(b) && mixedCase(b) && bytes.IndexByte(b, '_') > 0) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

// pipedEncoding finds the text that a command encodes, and what it prints.
func pipedEncoding(text []byte, i, n int, add func(span)) {
	line := lineStart(text, i)
	cmd := bytes.TrimRight(text[line:i], " ")
	if len(cmd) < 8 || !among("'\"", cmd[len(cmd)-1]) || !mentions(cmd, "echo -n", "printf") {
		return
	}
	end := line + len(cmd) - 1
	start := line + bytes.IndexByte(cmd, cmd[len(cmd)-1]) + 1
	if start >= end {
		return
	}
	b := text[start:end]
	if !strongWord(b) && !coined(b) && !literal(b, password) {
		return
	}
	add(span{start, end, -1, kindPassword})
	at := skipAny(text, lineEnd(text, i+n), 2, "\r\n")
	if w := wordEnd(text, at, lineEnd(text, at)); w-at >= len(b) && tokenLine(text[at:w]) {
		add(span{at, w, -1, kindPassword})
	}
}

// headerKey finds the key among the parameters of a header that authenticates.
func headerKey(text []byte, i, n int, add func(span)) {
	if at := lineStart(text, i); i == 0 || bytes.ContainsAny(text[at:i], " :=") {
		return
	}
	line := min(lineEnd(text, i), i+400)
	for k := i + n; k+4 < line; k++ {
		if !hasFold(text[k:], "key=") || isWord(text[k-1]) {
			continue
		}
		v := value{start: k + 4, end: k + 4}
		for v.end < line && text[v.end] > ' ' && !among(";,", text[v.end]) {
			v.end++
		}
		if b := text[v.start:v.end]; literal(b, token) {
			add(span{v.start, v.end, -1, kindToken})
		}
		return
	}
}

// followedWords announce what is written on the next line by itself.
const followedWords = `下記|以下の|次の通り|如下|아래|다음과 같|is as follows|are as follows|lautet wie folgt|est le suivant|es la siguiente|è la seguente|é a seguinte|luidt als volgt|jest następujące|следующий`

// followed finds the password that stands alone on the line below such words.
func followed(text []byte, i, n int, add func(span)) {
	if !mentions(text[max(0, i-90):i], "パスワード", "密码", "密碼", "口令", "暗証番号", "비밀번호", "암호", "passwor", "kennwort", "mot de passe", "contraseñ", "senha", "wachtwoord", "hasło", "парол") {
		return
	}
	line := lineEnd(text, i)
	if line-i > 60 || line >= len(text) {
		return
	}
	at := skipAny(text, line, 6, " \t\r\n")
	end := lineEnd(text, at)
	b := bytes.TrimRight(text[at:end], " \r\t")
	if len(b) >= 6 && bytes.IndexByte(b, ' ') < 0 && (composed(b) || strongWord(b) || literal(b, password)) {
		add(span{at, at + len(b), -1, kindPassword})
	}
}
