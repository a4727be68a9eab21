package leakscan

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

func canaries(seed uint64) []Canary { return Canaries(rand.New(rand.NewPCG(seed, 1))) }

// possible leaves out what loses the secret for everyone: another case of letters that have none or several.
func possible(c Canary, e encoding) bool {
	changed := e.name == "other case" || e.name == "mixed case"
	return !changed || !strings.ContainsRune(c.Value, 'ß') && !strings.ContainsRune(c.Value, 'İ')
}

// TestBytes_everyEncoding: each canary is found in each encoding, alone or among other text.
func TestBytes_everyEncoding(t *testing.T) {
	t.Parallel()
	for j, c := range canaries(1) {
		s := New(c)
		for i, e := range encodings {
			carrier := carriers[(i+j)%len(carriers)]
			b := strings.Replace(carrier, "%s", e.encode(c.Value), 1)
			if possible(c, e) && len(s.Bytes("test", []byte(b))) != 1 {
				t.Errorf("%s is not found: %s in %s", c.Name, e.name, carrier)
			}
		}
	}
}

// lossless are outer layers of a chain: those that keep the bytes they are given.
var lossless = []string{"json", "json upper", "url minimal", "url full", "html", "base64", "base64 url", "base64 second place", "base64 wrapped", "hex", "hex spaced", "base32", "quoted-printable full", "gzip", "gzip base64", "reversed", "blanks between", "nothing between"}

func TestBytes_chains(t *testing.T) {
	t.Parallel()
	c := canaries(2)[0]
	s := New(c)
	for _, inner := range encodings {
		for _, outer := range encodings {
			binary := slices.Contains([]string{"gzip", "zlib", "zip", "utf-16 le", "utf-16 be"}, inner.name)
			letters := slices.Contains([]string{"html", "reversed", "blanks between", "nothing between"}, outer.name)
			if !slices.Contains(lossless, outer.name) || binary && (strings.HasPrefix(outer.name, "json") || letters) {
				continue
			}
			if b := outer.encode(inner.encode(c.Value)); len(s.Bytes("test", []byte(b))) != 1 {
				t.Errorf("not found: %s in %s", inner.name, outer.name)
			}
		}
	}
}

// TestBytes_everyDecoderIsNeeded: without any one of the decoders some encoding is missed, so that a test which finds
// nothing has looked.
func TestBytes_everyDecoderIsNeeded(t *testing.T) {
	t.Parallel()
	all := canaries(3)[3:5]
	for i, d := range decoders {
		if !misses(slices.Delete(slices.Clone(decoders), i, i+1), all) {
			t.Errorf("without %s nothing is missed", d.name)
		}
	}
}

// misses says whether a scanner with these decoders leaves out some encoding of some canary.
func misses(with []decoder, all []Canary) bool {
	for _, e := range encodings {
		for _, c := range all {
			s := New(c)
			s.decoders = with
			if possible(c, e) && len(s.Bytes("test", []byte(e.encode(c.Value)))) == 0 {
				return true
			}
		}
	}
	return false
}

func TestBytes_clean(t *testing.T) {
	t.Parallel()
	s := New(append(canaries(4), Canary{"empty", ""})...)
	for _, other := range append(canaries(5)[:3], Canary{"text", strings.Repeat("The password is kept elsewhere. ", 20)}) {
		for _, e := range encodings {
			if leaks := s.Bytes("test", []byte(e.encode(other.Value))); len(leaks) > 0 {
				t.Errorf("%v in the %s of another", leaks, e.name)
			}
		}
	}
}

func TestFragments(t *testing.T) {
	t.Parallel()
	c := canaries(6)[0]
	s := New(c)
	for from := range len(c.Value) - 8 {
		if len(s.Fragments("test", []byte("a"+c.Value[from:from+8]+"b"), 8)) != 1 {
			t.Errorf("fragment at %d is not found", from)
		}
	}
	if leaks := s.Fragments("test", []byte(c.Value[:7]), 8); len(leaks) != 0 {
		t.Errorf("found %v", leaks)
	}
}

func TestLeak_saysNoValue(t *testing.T) {
	t.Parallel()
	for _, c := range canaries(7) {
		for _, l := range New(c).Bytes("test", []byte(c.Value)) {
			if strings.Contains(l.String(), c.Value) {
				t.Errorf("%s prints its value", c.Name)
			}
		}
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	root, all := t.TempDir(), canaries(8)
	s := New(all...)
	if err := os.MkdirAll(filepath.Join(root, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a/clean", "nothing")
	if leaks, err := s.Dir(root); err != nil || len(leaks) != 0 {
		t.Fatalf("%v, %v", leaks, err)
	}
	write("a/b/log", "x "+gzipped(all[0].Value))
	write("a/"+all[2].Value, "a name tells, too")
	leaks, err := s.Dir(root)
	if err != nil || len(leaks) != 2 {
		t.Errorf("%v, %v", leaks, err)
	}
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	all := canaries(9)
	exec := func(q string, args ...any) {
		if _, err := db.ExecContext(context.Background(), q, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE "odd ""name" (id INTEGER, b BLOB, t TEXT)`)
	exec(`INSERT INTO "odd ""name" VALUES (1, NULL, 'clean')`)
	s := New(all...)
	if leaks, err := s.SQLite(t.Context(), db); err != nil || len(leaks) != 0 {
		t.Fatalf("%v, %v", leaks, err)
	}
	exec(`INSERT INTO "odd ""name" VALUES (2, ?, ?)`, []byte(all[5].Value), wrapped(bytesAs(all[3].Value, "%02x"), 0))
	if leaks, err := s.SQLite(t.Context(), db); err != nil || len(leaks) != 2 {
		t.Errorf("%v, %v", leaks, err)
	}
}

func FuzzBytes(f *testing.F) {
	for _, e := range encodings {
		f.Add([]byte(e.encode("seed")), uint8(0))
	}
	all := canaries(10)
	s := New(all...)
	f.Fuzz(func(t *testing.T, around []byte, n uint8) {
		c := all[int(n)%len(all)]
		b := append(append(slices.Clone(around), '\n'), c.Value...)
		if !slices.ContainsFunc(s.Bytes("test", b), func(l Leak) bool { return l.Canary == c.Name }) {
			t.Errorf("%s is not found behind %q", c.Name, around)
		}
	})
}
