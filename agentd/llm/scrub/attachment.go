package scrub

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"gatehouse/agentd/llm/jsontree"
)

// packed is an attachment whose text was unpacked to be looked at.
type packed struct {
	at    *string
	text  string // unpacked
	was   string
	front string // what stands before the data in at
}

// finish packs the text again when something was taken out of it.
func (p *packed) finish() {
	if p.text != p.was {
		*p.at = p.front + base64.StdEncoding.EncodeToString([]byte(p.text))
	}
}

// attached says whether a member of an object holds a file, in any of the protocols: a data URL, or bare data beside
// its type.
func attached(of *jsontree.Value, m jsontree.Member) bool {
	if m.Value.Kind != jsontree.String {
		return false
	}
	switch m.Key {
	case "file_data":
		return true
	case "data":
		return of.Str("type") == "base64" || of.Get("format") != nil || of.Get("media_type") != nil && of.Str("type") != "text"
	case "text", "content", "input", "arguments", "instructions":
		return false // words to the model, whatever they begin with
	}
	return isDataURL(m.Value.Text)
}

func isDataURL(s string) bool {
	return len(s) >= 5 && strings.EqualFold(s[:5], "data:") && strings.Contains(s, ",")
}

// attachment lets a file pass when it is text, without its secrets. Anything else could hold them in a form that no
// scan reads, so it is refused.
func (w *walk) attachment(of, v *jsontree.Value, p place) error {
	kind, front, data, ok := unpack(v.Text)
	if kind == "" {
		kind = max(of.Str("media_type"), of.Str("format"), "file")
	}
	if !ok {
		return refused("an attachment (%.40s) is not well encoded", kind)
	}
	text, ok := readable(data)
	if !ok {
		return refused("an attachment (%.40s) is not plain text", kind)
	}
	one := &packed{at: &v.Text, text: text, was: text, front: front}
	w.packed = append(w.packed, one)
	return w.text(&one.text, p)
}

// unpack gives the data of an attachment and what stands before it.
func unpack(s string) (kind, front string, data []byte, ok bool) {
	if !isDataURL(s) {
		data, ok = fromBase64(s)
		return "", "", data, ok
	}
	head, body, _ := strings.Cut(s[5:], ",")
	kind, _, _ = strings.Cut(head, ";")
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(head)), ";base64") {
		data, ok = fromBase64(body)
		return kind, s[:5] + head + ",", data, ok
	}
	plain, err := url.PathUnescape(body)
	return kind, s[:5] + head + ";base64,", []byte(plain), err == nil
}

// fromBase64 reads either alphabet, with padding or without, and ignores line breaks as decoders do.
func fromBase64(s string) ([]byte, bool) {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '-':
			return '+'
		case '_':
			return '/'
		case '\n', '\r', '\t', ' ':
			return -1
		}
		return r
	}, s)
	data, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return data, err == nil
}

// readable gives the text of a file: UTF-8, or UTF-16 that says so at its beginning. A control character that no text
// holds makes it something else.
func readable(data []byte) (string, bool) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if len(data) >= 2 && len(data)%2 == 0 && (data[0] == 0xFF && data[1] == 0xFE || data[0] == 0xFE && data[1] == 0xFF) {
		text = wide(data)
	}
	if !utf8.ValidString(text) {
		return "", false
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' && r != '\f' || r == utf8.RuneError {
			return "", false
		}
	}
	return text, true
}

func wide(data []byte) string {
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i < len(data); i += 2 {
		hi, lo := data[i], data[i+1]
		if data[0] == 0xFF {
			hi, lo = lo, hi
		}
		units = append(units, uint16(hi)<<8|uint16(lo))
	}
	return string(utf16.Decode(units))
}
