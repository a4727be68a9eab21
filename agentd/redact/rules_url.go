package redact

import "bytes"

const kindConnection = "connection-password"

// userinfo finds the password, or the token, that stands in a URL before its host. n covers "://".
func userinfo(text []byte, i, n int, add func(span)) {
	if i == 0 || !isWord(text[i-1]) {
		return
	}
	start := i + n
	at := hostSign(text, start)
	if at < 0 {
		return
	}
	colon := bytes.IndexByte(text[start:at], ':')
	if colon < 0 {
		token := text[start:at]
		if len(token) >= 20 && randomish(token) && !hasFold(text[at+1:], "o") {
			add(span{start, at, -1, kindConnection})
		}
		return
	}
	user, pass := text[start:start+colon], text[start+colon+1:at]
	if len(pass) == 0 || placeholder(pass) || bytes.ContainsAny(pass, " \t") {
		if len(pass) <= 1 && randomish(user) && len(user) >= 20 {
			add(span{start, start + colon, -1, kindConnection})
		}
		return
	}
	if w := bytes.ToLower(pass); statusWords[string(w)] || genericValue[string(w)] {
		return
	}
	add(span{start + colon + 1, at, -1, kindConnection})
	if len(user) >= 20 && randomish(user) && !bytes.Contains(user, []byte("%40")) {
		add(span{start, start + colon, -1, kindConnection})
	}
}

// hostSign is the last @ of the part of a URL before its path, or -1. Passwords may hold more of them, and slashes that
// should have been escaped.
func hostSign(text []byte, i int) int {
	sign := -1
	for k := i; k < len(text) && k < i+512; k++ {
		switch c := text[k]; {
		case c == '@':
			sign = k
		case c <= ' ' || bytes.IndexByte([]byte("\"'<>`|"), c) >= 0 || c == '\\' && k+1 < len(text) && bytes.IndexByte([]byte(`"nrt`), text[k+1]) >= 0:
			return sign
		case (c == '/' || c == '?' || c == ',') && sign >= 0:
			return sign
		case (c == '/' || c == '?') && bytes.IndexByte(text[i:k], ':') < 0:
			return sign
		case c == '/' && sign < 0 && isDigits(text[i+1+bytes.LastIndexByte(text[i:k], ':'):k]):
			return sign // a port
		case c == '/' && !laterSign(text[k:min(len(text), k+64)]):
			return sign
		}
	}
	return sign
}

// laterSign says whether an @ follows before the text could be the path of a URL with a port.
func laterSign(b []byte) bool {
	for i, c := range b {
		switch {
		case c == '@':
			return i > 0 && i < 40
		case c <= ' ' || bytes.IndexByte([]byte("\"'<>`?#&="), c) >= 0 || i > 0 && c == '/':
			return false
		}
	}
	return false
}

// thinLogin finds the password of an Oracle connect string.
func thinLogin(text []byte, i, n int, add func(span)) {
	slash := bytes.IndexByte(text[i+n:min(len(text), i+n+64)], '/')
	if slash < 1 {
		return
	}
	start := i + n + slash + 1
	end := start + bytes.LastIndexByte(text[start:wordEnd(text, start, min(len(text), start+128))], '@')
	if end > start && !placeholder(text[start:end]) {
		add(span{start, end, -1, kindConnection})
	}
}
