package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"gatehouse/agentd/leakscan"
)

// readable says whether who reads a text in encoding b after one in encoding a gets a secret of that kind back: not every
// pair keeps every secret.
func readable(a, b encoding, kind int, carrier string) bool {
	wide := strings.HasPrefix(a.name, "utf-16") || strings.HasPrefix(b.name, "utf-16")
	const otherScripts = 3
	if kind != otherScripts {
		return !lossy(a.name, b.name)
	}
	cased := (b.name == "upper" || b.name == "lower") && a.name != "raw"
	return !cased && !lossy(a.name, b.name) && !(wide && (carrier == "json" || b.name == "quoted-printable" || a.name[:3] == b.name[:3]))
}

// FuzzPlanted plants a secret in any text, in any two encodings: nothing of it leaves, and of the text around it all does. In
// one encoding nothing of it leaves in many pieces either; what is encoded twice a stream may let go of in part. The judge
// shares no code with the engine.
func FuzzPlanted(f *testing.F) {
	for i := range testEncodings {
		before, after, _ := strings.Cut(carriers[i%len(carriers)].format, "%s")
		f.Add(before, after, uint64(i), uint8(i), uint8(0))
		f.Add(before, after, uint64(i), uint8(i), uint8(7*i+3))
	}
	f.Fuzz(func(t *testing.T, before, after string, seed uint64, first, second uint8) {
		if len(before)+len(after) > 1<<10 || !utf8.ValidString(before+after) {
			return
		}
		a, b := testEncodings[int(first)%len(testEncodings)], testEncodings[int(second)%len(testEncodings)]
		r := rand.New(rand.NewPCG(seed, 21))
		kind := r.IntN(len(secretKinds))
		if !readable(a, b, kind, "") {
			return
		}
		secret := secretKinds[kind](r)
		planted := " " + b.of(r, a.of(r, secret)) + " "
		if strings.HasSuffix(planted, "= ") && strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n") {
			return // to mail that is a line which goes on: what follows is one with what is planted
		}
		e := NewWith([]Known{{"other", "Zq81-not-this-one"}, {"it", secret}})
		out, found, err := e.Check(before + planted + after)
		if err != nil {
			t.Fatal(err)
		}
		judge := leakscan.New(leakscan.Canary{Name: "it", Value: secret})
		if leaks := judge.Bytes("text", []byte(out)); leaks != nil {
			t.Fatalf("%q as %s, %s: %q became %q: %v", secret, a.name, b.name, before+planted+after, out, leaks)
		}
		if why := mended(before+planted+after, out, found); why != "" {
			t.Fatalf("%q became %q: %s", before+planted+after, out, why)
		}
		for _, x := range found {
			if x.Name == "it" && (x.Start < len(before) || x.End > len(before)+len(planted)) && !eitherOrder(a.name, before, after) {
				t.Fatalf("%q: too much is the secret in %q", before+planted+after, out)
			}
		}
		if a.name != "raw" && b.name != "raw" {
			return
		}
		if got := inPieces(r, e, before+planted+after); got != out && left(got, planted) > left(out, planted)+3 || judge.Bytes("stream", []byte(got)) != nil {
			t.Fatalf("%q streamed became %q, not %q", before+planted+after, got, out)
		}
	})
}

// eitherOrder says that a zero beside the bytes of UTF-16 makes them UTF-16 of the other order as well, which it is a part of.
func eitherOrder(name, before, after string) bool {
	return strings.HasPrefix(name, "utf-16") && (strings.HasSuffix(before, "0") || strings.HasPrefix(after, "0"))
}

// inPieces is text as a stream lets it go that gets it in pieces of any length.
func inPieces(r *rand.Rand, e *Engine, text string) string {
	s := e.Stream()
	var out strings.Builder
	for most := 1 + r.IntN(40); text != ""; {
		n := min(len(text), 1+r.IntN(most))
		out.WriteString(s.Write(text[:n]))
		text = text[n:]
	}
	return out.String() + s.Flush()
}
