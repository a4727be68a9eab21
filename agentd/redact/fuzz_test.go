package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
)

const fuzzSecret = "kV7pQ2mXw9Zt4LrB"

// No text makes a scan fail, lose what is no secret, or leave a known one.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		"", "password: ", "Authorization: \"Bearer \"", "-----BEGIN PRIVATE KEY-----", "%", "\\u", "&#", "=\r\n", "0x41,0x42", "curl -u :", "://@",
		"x " + fuzzSecret + " y", `{"password":"hunter2hunter2"}`, "kind: Secret\ndata:\n a: b", "cookie: a=b;", "seed phrase: a b c", `"kty"`, "H4sIAAAA",
		"00000000: 6162 6364 6566 6768  abcdefgh\n", "a\x00b\x00c\x00d\x00e\x00", "token => \"", "{{", "mysql -p", "jdbc:oracle:thin:a/", "docker login -p",
	} {
		f.Add(s)
	}
	e := NewWith([]Known{{"it", fuzzSecret}, {"short", "77"}, {"empty", ""}})
	f.Fuzz(func(t *testing.T, text string) {
		out, found, err := e.Check(text)
		if err != nil {
			t.Fatal(err)
		}
		if why := mended(text, out, found); why != "" {
			t.Fatalf("%q became %q: %s", text, out, why)
		}
		if strings.Contains(out, fuzzSecret) {
			t.Fatalf("the secret stays in %q", out)
		}
		if again := e.Text(out); again != out {
			t.Fatalf("%q became %q, and that %q", text, out, again)
		}
		if len(out) > len(text)+len(found)*maxMark {
			t.Fatalf("%d bytes became %d", len(text), len(out))
		}
	})
}

// mended says what is wrong with a text in which only findings were replaced.
func mended(text, out string, found []Finding) string {
	at := 0
	for _, x := range found {
		if x.Start < at || x.End <= x.Start || x.End > len(text) {
			return "findings are not in order"
		}
		var ok bool
		if out, ok = strings.CutPrefix(out, text[at:x.Start]); !ok {
			return "something else was changed"
		}
		end := strings.IndexByte(out, ']')
		if end < 0 {
			return "a mark is missing"
		}
		out, at = out[end+1:], x.End
	}
	if out != text[at:] {
		return "the end was changed"
	}
	return ""
}

// JSON stays JSON.
func FuzzBytes(f *testing.F) {
	f.Add(`{"a":["x",1,null,{"b":"` + fuzzSecret + `"}],"password":"Tr0ub4dor"}`)
	f.Add(`"\ud800"`)
	f.Add(`{"` + fuzzSecret + `":12345678}`)
	e := NewWith([]Known{{"it", fuzzSecret}, {"pin", "12345678"}})
	f.Fuzz(func(t *testing.T, text string) {
		out := e.Bytes([]byte(text))
		if looksLikeJSON([]byte(text)) && json.Valid([]byte(text)) && !json.Valid(out) { // a number alone is a text
			t.Fatalf("%q became %q", text, out)
		}
		if strings.Contains(string(out), fuzzSecret) {
			t.Fatalf("the secret stays in %q", out)
		}
		if again := e.Bytes(out); !bytes.Equal(again, out) {
			t.Fatalf("%q became %q, and that %q", text, out, again)
		}
	})
}

// However it is cut, a stream shows nothing of a known secret.
func FuzzStream(f *testing.F) {
	f.Add("before "+fuzzSecret+" after", uint8(3))
	f.Add("password: hunter2hunter2\nnext", uint8(1))
	e := NewWith([]Known{{"it", fuzzSecret}})
	f.Fuzz(func(t *testing.T, text string, step uint8) {
		if len(text) > 4096 || !utf8.ValidString(text) {
			return
		}
		s := e.Stream()
		var out strings.Builder
		for rest := text; rest != ""; {
			n := min(len(rest), 1+int(step))
			out.WriteString(s.Write(rest[:n]))
			rest = rest[n:]
		}
		out.WriteString(s.Flush())
		if strings.Contains(out.String(), fuzzSecret) {
			t.Fatalf("the secret stays in %q", out.String())
		}
	})
}

// A secret that is cut anywhere over two or three neighbouring parts is taken out of each of them.
func TestTexts_cutSecret(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9]{16,40}`).Draw(t, "secret")
		a := rapid.IntRange(1, len(secret)-1).Draw(t, "a")
		b := rapid.IntRange(a, len(secret)).Draw(t, "b")
		parts := []string{"first " + secret[:a], secret[a:b], secret[b:] + " last"}
		e := NewWith([]Known{{"it", secret}})
		for range 2 { // the second time it is remembered
			out := e.Texts(parts)
			if out[0] != "first [SECRET:it]" || !strings.HasSuffix(out[2], " last") || len(out[2]) > len("[SECRET:it] last") {
				t.Fatalf("%q became %q", parts, out)
			}
			if out[1] != "" && out[1] != "[SECRET:it]" {
				t.Fatalf("%q became %q", parts, out)
			}
		}
	})
}

// Marks number the values of a kind, and the same value has the same mark wherever it stands.
func TestMarks_sameness(t *testing.T) {
	t.Parallel()
	e := New()
	first, second := fill(rng(1), "ghp_{{alnum 36}}"), fill(rng(2), "ghp_{{alnum 36}}")
	if got := e.Text(first + " " + second + " " + first); got != "[REDACTED:github-token] [REDACTED:github-token#2] [REDACTED:github-token]" {
		t.Error(got)
	}
	if got := e.Text("again " + second); got != "again [REDACTED:github-token#2]" {
		t.Error(got)
	}
}

// A mark that nobody made cannot be used to hide a secret.
func TestMarks_forged(t *testing.T) {
	t.Parallel()
	e := NewWith([]Known{{"it", fuzzSecret}})
	for _, text := range []string{"[SECRET:" + fuzzSecret + "]", "[REDACTED:" + fuzzSecret + "]", "[SECRET:it#" + fuzzSecret + "]"} {
		if out := e.Text(text); strings.Contains(out, fuzzSecret) {
			t.Errorf("%q became %q", text, out)
		}
	}
	if got := NewWith([]Known{{fuzzSecret, fuzzSecret}}).Text("x " + fuzzSecret); got != "x [SECRET:unnamed]" {
		t.Error(got)
	}
}

// TestMarks_leftAlone: what stands behind a mark is read as if nothing had stood in it.
func TestMarks_leftAlone(t *testing.T) {
	t.Parallel()
	known := NewWith([]Known{{"it", fuzzSecret}, {"shop.password", fuzzSecret[:9] + "x"}})
	for _, text := range []string{
		"[SECRET:it]%3D%3D", "[SECRET:it]%253D", "x [SECRET:it]9PQ==", "49:[SECRET:it]:3d:3d", "JF4[SECRET:it]HU6Q====", "0 [SECRET:it]\"000127A8a\"0",
		"[SECRET:shop.password]=Garnet44!x", "[REDACTED:password]: Garnet44!x", "[REDACTED:password#12]=Garnet44!x", "[REDACTED:token][SECRET:it]%3D",
	} {
		if out := known.Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
	for text, want := range map[string]string{
		"[SECRET:it] password: Garnet44!x":     "[SECRET:it] password: [REDACTED:password]",
		fuzzSecret + "pass:0001":               "[SECRET:it]pass:[REDACTED:password]",
		"[REDACTED:token]" + fuzzSecret:        "[REDACTED:token][SECRET:it]",
		"[SECRET:other]=Garnet44!x":            "", // nobody made these marks
		"[SECRET:it" + fuzzSecret + "]":        "",
		"password: [SECRET:it], or Garnet44!x": "",
	} {
		e := known.Fresh()
		if out := e.Text(text); out != want && want != "" || e.Text(out) != out || strings.Contains(out, fuzzSecret) {
			t.Errorf("%q became %q, not %q, and that %q", text, out, want, e.Text(out))
		}
	}
}

// Short values count in their place only, empty ones never.
func TestShort(t *testing.T) {
	t.Parallel()
	e := NewWith([]Known{{"pin", "1234"}, {"none", ""}, {"blank", "  "}, {"one", "a"}, {"mixed", "x7Q!"}})
	for _, c := range []struct{ text, want string }{
		{"Invoice 1234 of a customer", "Invoice 1234 of a customer"},
		{"pin=1234", "pin=[SECRET:pin]"},
		{"the PIN is 1234.", "the PIN is [SECRET:pin]."},
		{"a banana", "a banana"},
		{"use x7Q! here", "use [SECRET:mixed] here"},
		{"91234 and 12345", "91234 and 12345"},
	} {
		if got := e.Text(c.text); got != c.want {
			t.Errorf("%q became %q, not %q", c.text, got, c.want)
		}
	}
}
