package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// mixedText is what conversations are made of: prose, code, logs, JSON, tables, with words like token and key all over.
func mixedText(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		switch r.IntN(6) {
		case 0:
			b.WriteString("The access to the reporting database was restored after the session expired; please keep the password policy in mind and rotate keys on time. ")
		case 1:
			fmt.Fprintf(&b, "2026-03-%02dT10:%02d:11Z INFO request finished method=GET path=/api/v1/orders/%d status=200 bytes=%d trace_id=%016x\n", 1+r.IntN(28), r.IntN(60), r.IntN(9999), r.IntN(99999), r.Uint64())
		case 2:
			fmt.Fprintf(&b, `{"id":"%s","user":{"name":"Mara","email":"mara@shop.test"},"items":[{"sku":"A-%d","qty":%d,"note":"leave at the \"back\" door\n"}],"total":%d.50}`+"\n", some(r, alnum[26:], 12), r.IntN(999), r.IntN(9), r.IntN(500))
		case 3:
			fmt.Fprintf(&b, "func (s *Store) Lookup%d(ctx context.Context, key string) (*Token, error) {\n\tif key == \"\" {\n\t\treturn nil, ErrNoKey\n\t}\n\treturn s.tokens[key], nil\n}\n", r.IntN(99))
		case 4:
			fmt.Fprintf(&b, "| %d | delivered | https://shop.test/orders?id=%d&page=%d | commit %s |\n", r.IntN(999), r.IntN(99999), r.IntN(20), some(r, "0123456789abcdef", 40))
		case 5:
			b.WriteString("Sehr geehrte Frau Öztürk, die Lieferung über 14 Stück kommt am Dienstag. Müssen wir noch etwas ändern? Viele Grüße\n")
		}
	}
	return b.String()[:n]
}

func manySecrets(r *rand.Rand, n int) []Known {
	var all []Known
	for i := range n {
		all = append(all, Known{fmt.Sprintf("tool%d.key", i), some(r, alnum+"_-", 24+r.IntN(20))})
	}
	return all
}

func BenchmarkRegistry(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	known := manySecrets(r, 200)
	text := mixedText(r, 1<<20)
	for i := range 20 { // some of them stand in the text, encoded
		v := known[i*7].Value
		at := (i + 1) * len(text) / 21
		text = text[:at] + []string{v, base64.StdEncoding.EncodeToString([]byte(v)), url.QueryEscape(v), backwards(v)}[i%4] + text[at:]
	}
	s := newState(known, 0)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if found, err := s.scan([]byte(text), registered); err != nil || len(found) < 20 {
			b.Fatal(len(found), err)
		}
	}
}

func BenchmarkFull(b *testing.B) {
	for _, n := range []int{100 << 10, 1 << 20} {
		b.Run(fmt.Sprint(n>>10, "KB"), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			e := NewWith(manySecrets(r, 200))
			text := mixedText(r, n)
			b.SetBytes(int64(n))
			for b.Loop() {
				e.Scan(text)
			}
		})
	}
}

func BenchmarkSetSecrets500(b *testing.B) {
	known := manySecrets(rand.New(rand.NewPCG(1, 2)), 500)
	e := New()
	for b.Loop() {
		e.SetSecrets(known)
	}
}

func BenchmarkTurn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	e := NewWith(manySecrets(r, 200))
	var parts []string
	for range 400 {
		parts = append(parts, mixedText(r, 2000))
	}
	e.Texts(parts)
	for b.Loop() {
		b.StopTimer()
		parts = append(parts[1:], mixedText(r, 8<<10)+some(r, alnum, 8))
		b.StartTimer()
		e.Texts(parts)
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{60, 600, 3300} {
		b.Run(fmt.Sprint(n, "B"), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			e := NewWith(manySecrets(r, 60))
			var frames [][]byte
			for i := range 64 {
				frames = append(frames, fmt.Appendf(nil, `{"id":"01920a1b-7c3d-7e4f-8a9b-%012x","type":"event","session":"main","seq":%d,"kind":"delta","payload":{"text":%q,"role":"assistant","tokens":128}}`, r.Uint64()>>16, i, mixedText(r, n)))
			}
			for i := 0; b.Loop(); i++ {
				f := frames[i%len(frames)]
				copy(f[len(`{"id":"`):], fmt.Sprintf("%08x", i)) // one that was not seen before
				e.Frame(f)
			}
		})
	}
}
