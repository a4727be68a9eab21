package proxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"gatehouse/agentd/leakscan"
	"gatehouse/agentd/redact"
)

// encodings write a whole text in another way, so that each can stand around another.
var encodings = map[string]func(string) string{
	"URL": url.QueryEscape, "HTML": html.EscapeString,
	"hex":               func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex, spaced":       func(s string) string { return strings.TrimSpace(fmt.Sprintf("% x", s)) },
	"HTML in tens":      func(s string) string { return eachRune(s, "&#%d;") },
	"HTML in sixteens":  func(s string) string { return eachRune(s, "&#x%x;") },
	"unicode escapes":   func(s string) string { return eachUnit(s, `\u%04x`) },
	"base32":            func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"base64":            func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url":         func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"UTF-16 in base64":  func(s string) string { return base64.StdEncoding.EncodeToString(utf16LE(s)[2:]) },
	"gzip in base64":    func(s string) string { return base64.StdEncoding.EncodeToString(packed(s)) },
	"reversed":          reversed,
	"capitals":          strings.ToUpper,
	"small letters":     strings.ToLower,
	"apart":             func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"apart, zero width": func(s string) string { return strings.Join(strings.Split(s, ""), "\u200b") },
	"JSON": func(s string) string {
		b, _ := json.Marshal(s) // a string
		return string(b[1 : len(b)-1])
	},
}

// outer are the encodings that keep every letter and its case, whatever they are given, so that a reader gets back what was
// inside.
var outer = []string{"URL", "HTML", "hex", "hex, spaced", "HTML in tens", "HTML in sixteens", "unicode escapes", "base32", "base64", "base64url", "UTF-16 in base64", "gzip in base64", "JSON"}

func eachRune(s, form string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, form, r)
	}
	return b.String()
}

func eachUnit(s, form string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, form, u)
	}
	return b.String()
}

func packed(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s)) // a Buffer takes all
	_ = w.Close()
	return b.Bytes()
}

func reversed(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// TestLeaks_layers sends secrets of every kind in every encoding, and in every encoding within another, through the proxy.
func TestLeaks_layers(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, ok)
	canaries := leakscan.Canaries(rand.New(rand.NewPCG(15, 16)))
	var known []redact.Known
	for _, c := range canaries {
		known = append(known, redact.Known{Name: "test." + c.Name, Value: c.Value})
	}
	r := start(t, oneOpenAI(u.srv.URL), known...)
	for _, c := range canaries {
		for inner, encode := range encodings {
			texts := []string{"See " + encode(c.Value) + " there."}
			for _, name := range outer {
				texts = append(texts, "See "+encodings[name](encode(c.Value))+" there.")
			}
			if status, said := r.post(t, chatPath, chat(texts...)); status != http.StatusOK {
				t.Fatalf("%s as %s: %d %.300s", c.Name, inner, status, said)
			}
			body := u.last(t).body
			if n := bytes.Count(body, []byte("See ")); n != len(texts) {
				t.Errorf("%s as %s: %d of %d texts arrived", c.Name, inner, n, len(texts))
			}
			wantClean(t, canaries, c.Name+" as "+inner, body)
		}
	}
}
