package ingress

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

var (
	hexRun    = lazyre.MustCompile(`(?i)(?:(?:0x|\\x|%)?[0-9a-f]{2}[\s:,-]{0,2}){8,}`)
	hexNoise  = lazyre.MustCompile(`(?i)0x|\\x|[^0-9a-f]`)
	numberRun = lazyre.MustCompile(`(?:\b(?:\d{2,3})\b[\s,;+]{1,2}){7,}\d{2,3}\b`)
	binaryRun = lazyre.MustCompile(`(?:[01]{7,8}[\s,]{0,2}){5,}`)
)

// printable gives bytes as text when nearly all of it can be read, as UTF-8 or UTF-16.
func printable(b []byte) string {
	if len(b) < 6 {
		return ""
	}
	s := string(b)
	if strings.Count(s, "\x00") > len(s)/3 {
		s = wide(b)
	}
	good, all := 0, 0
	for _, r := range s {
		if all++; r != utf8.RuneError && (unicode.IsPrint(r) || unicode.IsSpace(r)) {
			good++
		}
	}
	if good*100 < all*94 {
		return ""
	}
	return s
}

// wide reads UTF-16 of either byte order.
func wide(b []byte) string {
	var u []uint16
	little := len(b) > 1 && b[1] == 0
	for i := 0; i+1 < len(b); i += 2 {
		if little {
			u = append(u, uint16(b[i])|uint16(b[i+1])<<8)
		} else {
			u = append(u, uint16(b[i])<<8|uint16(b[i+1]))
		}
	}
	return string(utf16.Decode(u))
}

func readable(b []byte) []string { return atLeast(6, printable(b)) }

func hexes(s string) (found []string) {
	for _, m := range within(&hexSigns, 16, hexRun, s) {
		m = hexNoise.ReplaceAllString(m, "")
		if b, err := hex.DecodeString(m[:len(m)-len(m)%2]); err == nil {
			found = append(found, readable(b)...)
		}
	}
	return found
}

// numbers reads letters written as decimal codes, or as bits.
func numbers(s string) (found []string) {
	for _, m := range within(&numberSigns, 20, numberRun, s) {
		var b []byte
		for _, f := range strings.FieldsFunc(m, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.ParseUint(f, 10, 8)
			if err != nil {
				n = 0
			}
			b = append(b, byte(n))
		}
		found = append(found, readable(b)...)
	}
	for _, m := range within(&binarySigns, 35, binaryRun, s) {
		found = append(found, readable(bitsOf(m))...)
	}
	return found
}

var (
	base32Signs = signsOf(uppers + "234567")
	hexSigns    = signsOf(digits + "abcdefABCDEFxX\\% \t\r\n:,-")
	numberSigns = signsOf(digits + " \t\r\n,;+")
	binarySigns = signsOf("01 \t\r\n,")
)

// within applies an expression where a run of its signs is long enough.
func within(set *signs, least int, re *lazyre.Regexp, s string) (found []string) {
	for _, run := range set.in(s, least) {
		if len(found) < 200 && strings.TrimSpace(run) != "" {
			found = append(found, re.FindAllString(run, 50)...)
		}
	}
	return found
}

func bitsOf(s string) []byte {
	width, bits := 8, []byte{}
	if f := strings.FieldsFunc(s, func(r rune) bool { return r != '0' && r != '1' }); len(f) > 1 {
		width = len(f[0])
	}
	for _, r := range s {
		if r == '0' || r == '1' {
			bits = append(bits, byte(r-'0'))
		}
	}
	return packed(bits, width, 0)
}
