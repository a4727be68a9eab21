package leakscan

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"mime/quotedprintable"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// encoding hides a secret.
type encoding struct {
	name   string
	encode func(string) string
}

// encodings are the ways that I1 of the design names, and a few more.
var encodings = []encoding{
	{"raw", func(s string) string { return s }},
	{"json", func(s string) string { b, _ := json.Marshal(s); return string(b) }},
	{"json upper", func(s string) string { return units(s, `\u%04X`) }},
	{"json lower", func(s string) string { return units(s, `\u%04x`) }},
	{"json partial", func(s string) string { return units(s[:4], `\u%04x`) + quotedBody(s[4:]) }},
	{"url minimal", url.QueryEscape},
	{"url full", func(s string) string { return bytesAs(s, "%%%02X") }},
	{"url double", func(s string) string { return url.QueryEscape(bytesAs(s, "%%%02x")) }},
	{"html", func(s string) string { return html.EscapeString(s) }},
	{"html decimal", func(s string) string { return runesAs(s, "&#%d;") }},
	{"html hex", func(s string) string { return runesAs(s, "&#x%x;") }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 url", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"base64 second place", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) }},
	{"base64 third place", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("xy" + s + "z")) }},
	{"base64 wrapped", func(s string) string { return wrapped(base64.StdEncoding.EncodeToString([]byte(s)), 12) }},
	{"base64 within", func(s string) string { return "/a/bc" + base64.StdEncoding.EncodeToString([]byte(s)) + "/d" }},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"hex upper", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"hex spaced", func(s string) string { return bytesAs(s, "%02x ") }},
	{"hex colons", func(s string) string { return bytesAs(s, "%02X:") }},
	{"hex slashes", func(s string) string { return bytesAs(s, `\x%02x`) }},
	{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
	{"utf-16 le", func(s string) string { return wideOf(s, 0) }},
	{"utf-16 be", func(s string) string { return wideOf(s, 1) }},
	{"quoted-printable", func(s string) string {
		var b bytes.Buffer
		w := quotedprintable.NewWriter(&b)
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}},
	{"quoted-printable full", func(s string) string { return wrapped(bytesAs(s, "=%02X"), 0) }},
	{"reversed", backwards},
	{"other case", strings.ToUpper},
	{"mixed case", func(s string) string { return strings.Map(swapCase, s) }},
	{"blanks between", func(s string) string { return between(s, " ") }},
	{"lines between", func(s string) string { return between(s, "\n") }},
	{"nothing between", func(s string) string { return between(s, "\u200b") }},
	{"gzip", gzipped},
	{"zlib", func(s string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = io.WriteString(w, s)
		_ = w.Close()
		return b.String()
	}},
	{"zip", func(s string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, _ := z.Create("word/document.xml")
		_, _ = io.WriteString(w, s)
		_ = z.Close()
		return b.String()
	}},
	{"gzip base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(gzipped(s))) }},
	{"base64 reversed", func(s string) string { return backwards(base64.StdEncoding.EncodeToString([]byte(s))) }},
	{"base64 pulled apart", func(s string) string { return between(base64.StdEncoding.EncodeToString([]byte(s)), " ") }},
	{"composed", norm.NFC.String},
	{"decomposed", norm.NFD.String},
}

func quotedBody(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func units(s, form string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, form, u)
	}
	return b.String()
}

func bytesAs(s, form string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, form, c)
	}
	return b.String()
}

func runesAs(s, form string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, form, r)
	}
	return b.String()
}

func wrapped(s string, n int) string {
	if n == 0 {
		return s
	}
	var b strings.Builder
	for len(s) > n {
		b.WriteString(s[:n] + "\r\n")
		s = s[n:]
	}
	return b.String() + s
}

func wideOf(s string, big int) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		pair := []byte{byte(u), byte(u >> 8)}
		b = append(b, pair[big], pair[1-big])
	}
	return string(b)
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

func between(s, sign string) string { return strings.Join(strings.Split(s, ""), sign) }

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// carriers hold the encoded secret among other text.
var carriers = []string{
	"%s", `{"a":1,"value":"%s","b":[2]}`, "key: %s\nnext: 1\n", "2026-01-02 level=info msg=done secret=%s n=3", "<p title=\"x\">%s</p>", "+line %s\n-old line\n",
}
