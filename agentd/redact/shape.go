package redact

import (
	"bytes"
	"strings"
)

// decimal says whether b is a number with a point.
func decimal(b []byte) bool {
	b = bytes.TrimLeft(b, "+-")
	dot := bytes.IndexByte(b, '.')
	return dot > 0 && len(b) < 10 && isDigits(b[:dot]) && isDigits(b[dot+1:])
}

func lowerTail(b []byte) bool {
	for _, c := range b[1:] {
		if class[c]&clsLower == 0 {
			return false
		}
	}
	return true
}

// camel says whether b is a name as programs have them.
func camel(b []byte) bool {
	if class[b[0]]&clsLower == 0 {
		return false
	}
	n := len(wordsOf(b))
	return mixedCase(b) && n >= 2 && (n < 4 || len(b) >= 4*n) && wordy(b)
}

// ordinal is what counts or orders: "1st", "12-character", "8+".
func ordinal(b []byte) bool {
	i := 0
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	if i == 0 || i > 3 {
		return false
	}
	rest := strings.ToLower(strings.Trim(string(b[i:]), "-+ ."))
	return rest == "" || rest == "st" || rest == "nd" || rest == "rd" || rest == "th" || strings.HasPrefix(rest, "char") || strings.HasPrefix(rest, "day") || strings.HasPrefix(rest, "min") || strings.HasPrefix(rest, "hour") || strings.HasPrefix(rest, "bit") || rest == "s" || rest == "m" || rest == "h" || rest == "ms" || rest == "kb" || rest == "x"
}

// linkish says whether b is a path, a URL or an address.
func linkish(b []byte) bool {
	if bytes.HasPrefix(b, []byte("urn:")) || b[0] == '/' && len(b) > 1 && len(b) < 16 && letters(b[1:]) && wordy(b[1:]) {
		return true
	}
	if colon := bytes.LastIndexByte(b, ':'); colon > 3 && colon+1 < len(b) && len(b)-colon <= 6 && isDigits(b[colon+1:]) && hostName(b[:colon]) && !hasDigit(b[bytes.LastIndexByte(b[:colon], '.'):colon]) {
		return true
	}
	return bytes.Contains(b, []byte("://")) || b[0] == '/' && bytes.Count(b, []byte("/")) > 1 && (len(b) < 24 || !hasDigit(b) || !mixedCase(b) || structured(b)) || bytes.HasPrefix(b, []byte("C:\\"))
}

// namedFile says whether b is the path of a file with an ending of letters.
func namedFile(b []byte) bool {
	dot := bytes.LastIndexByte(b, '.')
	return dot > 0 && len(b)-dot <= 5 && len(b)-dot >= 3 && bytes.IndexByte(b[:dot], '/') > 0 && letters(b[dot+1:])
}

// solid says whether b has only characters that tokens have.
func solid(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7F || strings.IndexByte("()[]{}<>\\,;", c) >= 0 {
			return false
		}
	}
	return true
}

// structured says whether b is made of parts that mean something: a path, an address, a name with a number.
func structured(b []byte) bool {
	if jumbled(b) {
		return false
	}
	parts := bytes.FieldsFunc(b, func(r rune) bool { return strings.ContainsRune("/:@.-_", r) })
	plain := 0
	for _, p := range parts {
		if len(p) >= 10 && hasDigit(p) && mixedCase(p) && !wordy(p) {
			return false
		}
		if len(p) >= 5 && mixedCase(p) && !wordy(p) {
			return false
		}
		if letters(p) && wordy(p) || isDigits(p) || len(p) <= 2 {
			plain++
		}
	}
	return len(parts) >= 3 && plain*3 >= len(parts)*2 || bytes.IndexByte(b, '/') >= 0 && bytes.IndexByte(b, '.') > 0
}
