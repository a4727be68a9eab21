package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"io"
	"strings"
	"testing"
)

// TestUnzip_ends: of a text behind packed base64 nothing is taken for a part of it, though its letters are those of base64;
// a secret in the second of two members, and one in what was broken off, are found all the same.
func TestUnzip_ends(t *testing.T) {
	t.Parallel()
	const secret = "Tr8-vine.Otter_41"
	e := NewWith([]Known{{"it", secret}})
	gz := func(text string) []byte {
		var b bytes.Buffer
		return packedBy(t, &b, gzip.NewWriter(&b), text)
	}
	zl := func(text string) []byte {
		var b bytes.Buffer
		return packedBy(t, &b, zlib.NewWriter(&b), text)
	}
	check := func(name string, raw []byte, behind string) {
		t.Helper()
		out, _, err := e.Check("got " + base64.StdEncoding.EncodeToString(raw) + behind)
		if err != nil || out != "got [SECRET:it]"+behind {
			t.Errorf("%s before %q became %q, %v", name, behind, out, err)
		}
	}
	for _, behind := range []string{"", " 00", " done", "\n1234 5678", "\nNext line"} {
		check("gzip", threes(gz, secret), behind)
		check("zlib", threes(zl, secret), behind)
		check("two members", threes(func(text string) []byte { return append(gz("nothing in here"), gz(text)...) }, secret), behind)
	}
	check("broken off", gz(secret + strings.Repeat(" and on it goes", 9))[:42], "")
}

// packedBy is what w made of text.
func packedBy(t *testing.T, b *bytes.Buffer, w io.WriteCloser, text string) []byte {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
		t.Fatalf("pack: %v", err)
	}
	return b.Bytes()
}

// threes packs secret with so much before it that the base64 of that ends without a sign of its end.
func threes(pack func(string) []byte, secret string) []byte {
	for before := "it is "; ; before += "so " {
		if b := pack(before + secret); len(b)%3 == 0 {
			return b
		}
	}
}
