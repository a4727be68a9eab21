package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/linear"
)

// numberForms are ways to write bytes as numbers.
var numberForms = []struct{ name, before, each, between, behind string }{
	{"node buffer", `{"type":"Buffer","data":[`, "%d", ",", "]}"},
	{"go bytes", "[]byte{", "%d", ", ", "}"},
	{"go print", "[", "%d", " ", "]"},
	{"python bytes", "bytes([", "%d", ", ", "])"},
	{"lines", "[\n    ", "%d", ",\n    ", "\n]"},
	{"plain", "", "%d", " ", "\n"},
	{"padded", " ", "%03d", " ", "\n"},
	{"wide columns", "  ", "%3d", "  ", "\n"},
	{"semicolons", "", "%d", ";", ""},
	{"quoted", `["`, "%d", `","`, `"]`},
	{"octal", "", "%o", " ", "\n"},
	{"octal padded", "", "%03o", " ", "\n"},
	{"octal of python", "[", "0o%o", ", ", "]"},
	{"octal of C", "{", "0%o", ", ", "}"},
	{"code points", "", "U+%04X", " ", "\n"},
}

func inNumbers(secret, before, each, between, behind string) string {
	all := make([]string, len(secret))
	for i := range len(secret) {
		all[i] = fmt.Sprintf(each, secret[i])
	}
	return before + strings.Join(all, between) + behind
}

// TestNumberLists: bytes as numbers hide neither a known secret nor a credential of a published form.
func TestNumberLists(t *testing.T) {
	t.Parallel()
	secret, form := some(rng(3), alnum, 24), fill(rng(5), "ghp_{{alnum 36}}")
	e := NewWith([]Known{{"it", secret}})
	for _, f := range numberForms {
		for _, around := range []string{"%s", "it is here: %s and ends", "x = %s;\ny = 2\n"} {
			before, behind, _ := strings.Cut(around, "%s")
			planted := inNumbers(secret, f.before, f.each, f.between, f.behind)
			if out, want := e.Text(before+planted+behind), "[SECRET:it]"; !strings.Contains(out, want) || strings.Contains(out, inNumbers(secret[:4], "", f.each, f.between, "")) {
				t.Errorf("%s: %q", f.name, out)
			}
			planted = inNumbers(form, f.before, f.each, f.between, f.behind)
			if out, want := e.Text(before+planted+behind), "[REDACTED:github-token"; !strings.Contains(out, want) {
				t.Errorf("%s: %q", f.name, out)
			}
		}
	}
}

// TestNumberLists_beyondASCII: a character is one number or several, and bytes may be counted from -128.
func TestNumberLists_beyondASCII(t *testing.T) {
	t.Parallel()
	secret := "Größe-" + some(rng(3), alnum, 12)
	e := NewWith([]Known{{"it", secret}})
	var runes, points, signed []string
	for _, r := range secret {
		runes, points = append(runes, fmt.Sprint(r)), append(points, fmt.Sprintf("U+%04X", r))
	}
	for _, c := range []byte(secret) {
		signed = append(signed, fmt.Sprint(int8(c)))
	}
	for _, list := range [][]string{runes, points, signed} {
		if out := e.Text("[" + strings.Join(list, ", ") + "]"); out != "[[SECRET:it]]" {
			t.Errorf("%q", out)
		}
	}
}

// TestNumberLists_ordinary: numbers that stand for nothing stay as they are.
func TestNumberLists_ordinary(t *testing.T) {
	t.Parallel()
	e := NewWith([]Known{{"it", some(rng(3), alnum, 24)}})
	r := rng(8)
	for range 50 {
		var b strings.Builder
		for range 40 {
			fmt.Fprintf(&b, "%d,%d,%d.%d,%03d,%d\n", r.IntN(100), r.IntN(256), r.IntN(50), r.IntN(10), r.IntN(128), 32+r.IntN(95))
		}
		table := b.String()
		for _, text := range []string{table, strings.ReplaceAll(table, ",", " "), strings.ReplaceAll(table, ",", "\t"), "[" + strings.ReplaceAll(strings.TrimSpace(table), "\n", ", ") + "]"} {
			if out := e.Text(text); out != text {
				t.Fatalf("%q\nbecame %q", text, out)
			}
		}
	}
	for _, text := range []string{
		"10.0.0.1 10.0.0.2 10.0.0.3 192.168.1.1", "2026-11-21 17:31:28 17:31:29 17:31:30 17:31:31", "[72,101,108,108,111,32,119,111,114,108,100,33]",
		"| 12 | 45 | 67 | 89 | 12 | 45 | 67 | 89 | 90 | 91 |", "0644 0755 0600 0640 0750 0700 0711 0622 0644", "U+0041 U+0042 U+0043 U+0044 U+0045 U+0046 U+0047 U+0048 U+0049",
	} {
		if out := e.Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// TestNumberLists_inJSON: what JSON holds as an array of numbers is looked at as a whole, and JSON stays JSON.
func TestNumberLists_inJSON(t *testing.T) {
	t.Parallel()
	secret := some(rng(3), alnum, 24)
	e := NewWith([]Known{{"it", secret}})
	list := inNumbers(secret, "", "%d", ",", "")
	for in, want := range map[string]string{
		`{"type":"Buffer","data":[` + list + `],"n":[1,2]}`:       `{"type":"Buffer","data":["[SECRET:it]"],"n":[1,2]}`,
		`{"a":"\n","data":[ 10, ` + list + ` ,13.5 ],"b":1234}`:   `{"a":"\n","data":[ 10, "[SECRET:it]" ,13.5 ],"b":1234}`,
		`[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,{"a":"\u00e4"}]`:    `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,{"a":"\u00e4"}]`,
		`{"measured":[20.5,21,21,22,23,24,25,26,27,28,29,30,31]}`: `{"measured":[20.5,21,21,22,23,24,25,26,27,28,29,30,31]}`,
	} {
		if out := string(e.Bytes([]byte(in))); out != want {
			t.Errorf("%s\nbecame %s", in, out)
		}
	}
	half := len(inNumbers(secret[:12], "", "%d", ",", ""))
	rows := `{"a":"\n","rows":[[` + list[:half] + `],[` + list[half+1:] + `]]}`
	if out := e.Bytes([]byte(rows)); !json.Valid(out) || strings.Contains(string(out), list[:20]) || strings.Contains(string(out), list[half+1:]) {
		t.Errorf("%s\nbecame %s", rows, out)
	}
}

// TestNumberLists_linear: a text of numbers costs as much as it is long.
func TestNumberLists_linear(t *testing.T) {
	e := NewWith([]Known{{"it", fuzzSecret}})
	for _, unit := range []string{"90,", "90 113 0o52 ", "7 ", "U+0051 ", "[", "-", "[90,", "                    9", "123456789"} {
		linear.Check(t, unit, 24_000, func(n int) { e.Text(strings.Repeat(unit, n/len(unit))) })
		linear.Check(t, "JSON of "+unit, 24_000, func(n int) {
			e.Bytes([]byte("[\"\\n\"," + strings.TrimSuffix(strings.Repeat("90,", n/3), ",") + "]"))
		})
	}
}
