package redact

import "bytes"

// Classes of bytes. The tables are read far more often than functions could be called.
const (
	clsHex = 1 << iota
	clsBase64
	clsUpper
	clsDigit
	clsLower
	clsWord   // letter, digit, underscore
	clsSpace  // ASCII whitespace and NUL: left out when texts are compared
	clsLead   // may begin an invisible character in UTF-8
	clsPair   // stands in or between pairs of hexadecimal digits
	clsDull   // never stands in anything encoded
	clsNumber // stands in or between the numbers of a list of bytes
)

var class = func() (t [256]uint16) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= 'a' && b <= 'z':
			t[c] |= clsLower | clsWord | clsBase64
		case b >= 'A' && b <= 'Z':
			t[c] |= clsUpper | clsWord | clsBase64
		case b >= '0' && b <= '9':
			t[c] |= clsDigit | clsWord | clsBase64 | clsHex
		case b == '_':
			t[c] |= clsWord | clsBase64
		case b == '+' || b == '/' || b == '-':
			t[c] |= clsBase64
		case b == ' ' || b >= '\t' && b <= '\r' || b == 0:
			t[c] |= clsSpace
		}
		if b|0x20 >= 'a' && b|0x20 <= 'f' && b >= 'A' {
			t[c] |= clsHex
		}
		if t[c]&clsHex != 0 || bytes.IndexByte([]byte(":,-;|\\.+xX"), b) >= 0 {
			t[c] |= clsPair
		}
		if t[c]&clsDigit != 0 || t[c]&clsSpace != 0 && b != 0 || bytes.IndexByte([]byte(",;:|+-.&_/\\\"'()[]{}oOuUABCDEF"), b) >= 0 {
			t[c] |= clsNumber
		}
		if bytes.IndexByte([]byte("\"'<>(){}[]!$?*@^~`"), b) >= 0 {
			t[c] |= clsDull
		}
		switch b {
		case 0xC2, 0xCD, 0xD8, 0xE1, 0xE2, 0xE3, 0xEF, 0xF3:
			t[c] |= clsLead
		}
	}
	return t
}()

func isLetter(c byte) bool { return class[c]&(clsLower|clsUpper) != 0 }
func isDigit(c byte) bool  { return class[c]&clsDigit != 0 }
func isWord(c byte) bool   { return class[c]&clsWord != 0 }
func isHex(c byte) bool    { return class[c]&clsHex != 0 }
func isSpace(c byte) bool  { return class[c]&clsSpace != 0 }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// hexValue is the value of a hexadecimal digit.
func hexValue(c byte) byte { return nibble[c] }

var nibble = func() (t [256]byte) {
	for i, c := range []byte("0123456789abcdef") {
		t[c] = byte(i)
	}
	for i, c := range []byte("ABCDEF") {
		t[c] = byte(10 + i)
	}
	return t
}()
