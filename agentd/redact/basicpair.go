package redact

import (
	"bytes"
	"encoding/base64"
	"unicode/utf8"
)

// basicPair finds a name and a password that stand in base64 behind the word Basic, wherever the word stands: what can be
// read back as both is nothing else.
func basicPair(text []byte, i, n int, add func(span)) {
	if i > 0 && isWord(text[i-1]) {
		return
	}
	end := i + n
	for end < len(text) && end-i < maxQuoted && (class[text[end]]&clsBase64 != 0 || text[end] == '=') {
		end++
	}
	b := bytes.TrimRight(text[i+n:end], "=")
	if len(b) < 8 {
		return
	}
	plain := make([]byte, base64.RawStdEncoding.DecodedLen(len(b)))
	if _, err := base64.RawStdEncoding.Decode(plain, b); err != nil {
		return
	}
	if k := bytes.IndexByte(plain, ':'); k > 0 && k < len(plain)-1 && utf8.Valid(plain) && !bytes.ContainsFunc(plain, func(r rune) bool { return r < ' ' }) {
		add(span{i + n, end, -1, "authorization"})
	}
}
