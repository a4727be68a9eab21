package redact

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/unicode/norm"
)

// encoding writes a text in another way. Choices come from t.
type encoding struct {
	name string
	of   func(t *rand.Rand, s string) string
}

func pick(t *rand.Rand, n int) int { return t.IntN(n) }

func eachByte(format string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
}

func eachRune(format string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, format, r)
		}
		return b.String()
	}
}

func unicodeEscapes(format string, some bool) func(*rand.Rand, string) string {
	return func(t *rand.Rand, s string) string {
		var b strings.Builder
		for _, r := range s {
			if some && pick(t, 2) == 0 && r != '\\' && r != '"' && r >= ' ' {
				b.WriteRune(r)
				continue
			}
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, format, u)
			}
		}
		return b.String()
	}
}

func base64At(shift int, enc *base64.Encoding) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string { return enc.EncodeToString([]byte("##"[:shift] + s)) }
}

func wrapped(every int, end string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string {
		all := base64.StdEncoding.EncodeToString([]byte(s))
		var lines []string
		for len(all) > every {
			lines, all = append(lines, all[:every]), all[every:]
		}
		return strings.Join(append(lines, all), end)
	}
}

func joinedHex(sep string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string {
		var pairs []string
		for i := range len(s) {
			pairs = append(pairs, fmt.Sprintf("%02x", s[i]))
		}
		return strings.Join(pairs, sep)
	}
}

func inBytes(each, between string) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string { return inNumbers(s, "", each, between, "") }
}

func utf16Of(big bool) func(*rand.Rand, string) string {
	return func(_ *rand.Rand, s string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
}

func split(seps ...string) func(*rand.Rand, string) string {
	return func(t *rand.Rand, s string) string {
		var b strings.Builder
		for i, r := range s {
			if i > 0 && pick(t, 3) == 0 {
				b.WriteString(seps[pick(t, len(seps))])
			}
			b.WriteRune(r)
		}
		return strings.TrimSpace(b.String())
	}
}

func zipped(_ *rand.Rand, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func quotedPrintableOf(_ *rand.Rand, s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7F && c != '=' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02X", c)
		}
		if i%20 == 19 {
			b.WriteString("=\r\n")
		}
	}
	return b.String()
}

// encodingsOf are the ways that must not hide a secret.
var testEncodings = []encoding{
	{"raw", func(_ *rand.Rand, s string) string { return s }},
	{"json", func(_ *rand.Rand, s string) string { return strings.Trim(string(quoted(s)), `"`) }},
	{"json u lower", unicodeEscapes(`\u%04x`, false)},
	{"json u upper", unicodeEscapes(`\u%04X`, false)},
	{"json u partial", unicodeEscapes(`\u%04x`, true)},
	{"url full", eachByte("%%%02X")},
	{"url full lower", eachByte("%%%02x")},
	{"url minimal", func(_ *rand.Rand, s string) string { return url.PathEscape(s) }},
	{"url query", func(_ *rand.Rand, s string) string { return url.QueryEscape(s) }},
	{"url double", func(_ *rand.Rand, s string) string { return url.QueryEscape(url.QueryEscape(s)) }},
	{"html named", func(_ *rand.Rand, s string) string { return html.EscapeString(s) }},
	{"html decimal", eachRune("&#%d;")},
	{"html hex", eachRune("&#x%x;")},
	{"base64", base64At(0, base64.StdEncoding)},
	{"base64 shift 1", base64At(1, base64.StdEncoding)},
	{"base64 shift 2", base64At(2, base64.StdEncoding)},
	{"base64url", base64At(0, base64.RawURLEncoding)},
	{"base64url shift 1", base64At(1, base64.RawURLEncoding)},
	{"base64 wrapped", wrapped(76, "\n")},
	{"base64 wrapped short", wrapped(20, "\r\n")},
	{"hex", joinedHex("")},
	{"hex upper", func(_ *rand.Rand, s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	{"hex spaced", joinedHex(" ")},
	{"hex colon", joinedHex(":")},
	{"hex 0x", func(_ *rand.Rand, s string) string { return "0x" + joinedHex(", 0x")(nil, s) }},
	{"hex x", eachByte(`\x%02x`)},
	{"octal", eachByte(`\%03o`)},
	{"base32", func(_ *rand.Rand, s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
	{"utf-16le", utf16Of(false)},
	{"utf-16be", utf16Of(true)},
	{"quoted-printable", quotedPrintableOf},
	{"reversed", func(_ *rand.Rand, s string) string { return backwards(s) }},
	{"upper", func(_ *rand.Rand, s string) string { return strings.ToUpper(s) }},
	{"lower", func(_ *rand.Rand, s string) string { return strings.ToLower(s) }},
	{"split by space", split(" ", "\n", "\t")},
	{"split by zero width", split("\u200b", "\u200d", "\ufeff", "\u00ad")},
	{"gzip", zipped},
	{"bytes, commas", inBytes("%d", ", ")},
	{"bytes, no blanks", inBytes("%d", ",")},
	{"bytes, octal", inBytes("0o%o", ", ")},
	{"nfd", func(_ *rand.Rand, s string) string { return norm.NFD.String(s) }},
	{"nfkc", func(_ *rand.Rand, s string) string { return norm.NFKC.String(s) }},
}

// lossy says that b cannot be read after a: it changes the case of what depends on it, or takes for characters what are
// bytes.
func lossy(a, b string) bool {
	byRune := b == "nfkc" || b == "nfd" || b == "reversed" || b == "upper" || b == "lower" || b == "raw" || b == "json" ||
		strings.HasPrefix(b, "split") || strings.HasPrefix(b, "html") || strings.HasPrefix(b, "json u")
	if strings.HasPrefix(a, "json") && (b == "upper" || b == "lower" || b == "reversed" && a == "json u partial") || strings.HasPrefix(a, "split by zero") && strings.HasPrefix(b, "utf-16") {
		return true // no reader knows such escapes, or none that keeps bytes
	}
	if a == "quoted-printable" && (strings.HasPrefix(b, "split") || b == "reversed" || b == "quoted-printable") {
		return true // its line ends are torn
	}
	if strings.HasPrefix(a, "bytes") && (strings.HasPrefix(b, "split") || b == "reversed") {
		return true // its numbers are torn
	}
	fragile := strings.HasPrefix(a, "base64") || a == "gzip" || a == "octal"
	return (b == "upper" || b == "lower") && fragile || strings.HasPrefix(a, "utf-16") && byRune
}

// carriers are what a secret travels in.
var carriers = []struct{ name, format string }{
	{"bare", "%s"},
	{"json", `{"level":"info","note":"%s","n":3}`},
	{"yaml", "server:\n  note: %s\n  port: 80\n"},
	{"log", "2026-01-02T03:04:05Z INFO handled value=%s in 12ms\n"},
	{"url", "https://host.test/path?q=%s&x=1"},
	{"header", "X-Note: %s\r\nHost: host.test\r\n"},
	{"diff", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+%s\n"},
	{"csv", "id,note,when\n1,%s,2026\n"},
	{"markdown", "# Title\n\nSome *words* and `%s` here.\n"},
	{"trace", "panic: bad value %s\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:12 +0x1d\n"},
	{"xml", "<doc><note>%s</note></doc>"},
	{"env", "PATH=/usr/bin\nNOTE=%s\nHOME=/root\n"},
	{"prose", "Dear all, here comes (%s), as promised yesterday."},
}
