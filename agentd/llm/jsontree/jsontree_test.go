package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing":                ``,
		"two values":             `{} {}`,
		"a key twice":            `{"a":1,"b":2,"a":3}`,
		"a key twice, escaped":   `{"model":1,"\u006dodel":2}`,
		"a key twice among many": `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1,"q":1}`,
		"a deep key twice":       `[{"x":{"a":1,"a":1}}]`,
		"bad UTF-8":              "\"\xff\"",
		"half a surrogate":       `"\ud83d"`,
		"the wrong half":         `"\ud83d\u0041"`,
		"the second half alone":  `"\ude00"`,
		"control character":      "\"a\nb\"",
		"NUL":                    "\"a\x00b\"",
		"leading zero":           `01`,
		"plus":                   `+1`,
		"bare point":             `1.`,
		"no exponent":            `1e`,
		"hex":                    `0x1`,
		"NaN":                    `NaN`,
		"comment":                `{/**/}`,
		"trailing comma":         `[1,]`,
		"trailing comma object":  `{"a":1,}`,
		"single quotes":          `{'a':1}`,
		"open array":             `[1`,
		"open object":            `{"a":1`,
		"open string":            `"a`,
		"unknown escape":         `"\x41"`,
		"signed escape":          `"\u+041"`,
		"byte order mark":        "\ufeff{}",
		"too deep":               strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		if v, err := Parse(in); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

func TestParse_keepsOrderAndNumbers(t *testing.T) {
	t.Parallel()
	in := `{"z":1,"a":[true,false,null,-0.5e+10,12345678901234567890],"m":{"k":"\u0041\n\ud83d\ude00\/"}}`
	v, err := Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"z":1,"a":[true,false,null,-0.5e+10,12345678901234567890],"m":{"k":"A\n😀/"}}`
	if got := string(v.Append(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzParse holds the parser against Go's own: what ours takes, Go's takes with the same meaning; what Go's refuses,
// ours refuses.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":"c\u00e9\\"}],"d":null}`, `"\ud83d\ude00"`, `[[[]]]`, `-1.5e-3`, `{"a":1,"a":2}`, "\"\u2028\x7f\"", `{"":0}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		v, err := Parse(in)
		if err != nil {
			return
		}
		out := v.Append(nil)
		if again, err := Parse(string(out)); err != nil || !bytes.Equal(again.Append(nil), out) {
			t.Fatalf("%q was written as %q, which is read as something else: %v", in, out, err)
		}
		if a, b := meaning(t, []byte(in)), meaning(t, out); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q means %v, %q means %v", in, a, out, b)
		}
	})
}

func meaning(t *testing.T, text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func BenchmarkParseAndWrite(b *testing.B) {
	text := `{"messages":[` + strings.Repeat(`{"role":"user","content":"`+strings.Repeat(`a line of text with \"quotes\"\n`, 30)+`"},`, 100) + `{}]}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		v, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		v.Append(nil)
	}
}
