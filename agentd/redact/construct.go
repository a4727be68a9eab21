package redact

import "bytes"

// constructors make a value of a text in quotes.
var constructors = []string{"[]byte(", "buffer.from(", "bytes(", "bytes.frombuffer(", "str(", "string(", "new string(", "secretstr(", "secret(", "secretstring(", "b64decode(", "base64.b64decode(", "atob(", "unhexlify(", "bytes.fromhex(", "some(", "just(", "lit(", "n("}

// constructed is where the text begins that a constructor at i makes a value of, or i.
func constructed(text []byte, i int, how strength) int {
	if how < token {
		return i
	}
	for _, c := range constructors {
		if n := i + len(c); hasFold(text[i:], c) && n < len(text) && bytes.IndexByte([]byte("\"'`"), text[n]) >= 0 {
			return n
		}
	}
	if n := i + len("string("); hasFold(text[i:], "string(") && n < len(text) && isDigit(text[n]) {
		if k := skipAny(text, n, 5, "0123456789"); k+2 < len(text) && text[k] == ')' && text[k+2] == '"' {
			return k + 2 // PHP tells the length
		}
	}
	return i
}

// arrowValue reads the value behind an arrow or a dash between blanks.
func arrowValue(text []byte, at int, how strength) (value, bool) {
	for _, a := range []string{"→ ", "⇒ ", "➜ ", "-> ", "--> ", "- ", "– ", "— ", "> "} {
		if !bytes.HasPrefix(text[at:], []byte(a)) {
			continue
		}
		v := wordAt(text, skipAny(text, at+len(a), 2, " \"'`")).emphatic(text)
		b := text[v.start:v.end]
		last := len(bytes.TrimSpace(text[min(len(text), v.after()):lineEnd(text, v.end)])) == 0
		return v, v.end > v.start && (strongWord(b) || how >= token && len(b) >= 16 && machineMade(b) || last && (literal(b, how) || how == password && coined(b) && phrased(b)))
	}
	return value{}, false
}

// indexed reads a value in brackets directly behind its name, as programs print records.
func indexed(text []byte, at int) (value, bool) {
	end := at + 1
	for end < len(text) && end-at < 80 && text[end] > ' ' && text[end] != ']' {
		end++
	}
	return value{start: at + 1, end: end}, end < len(text) && text[end] == ']' && text[at+1] != ':' && strongWord(text[at+1:end])
}

// calledWith reads the text in quotes that a function or a method is called with whose name speaks of a secret: to set
// one. Those that ask for one are called with its name.
func calledWith(text []byte, at int, how strength) (value, bool) {
	k := skipAny(text, at+1, 2, " ")
	v, ok := readValue(text, k, value{})
	if !ok || !v.quoted || how < token {
		return v, false
	}
	b := text[v.start:v.end]
	return v, hasDigit(b) && mixed(b) && !identifier(b) && !bytes.ContainsAny(b, "()[]{}<> /\\") || strongWord(b)
}
