package canonical_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"

	"gatehouse/agentd/policy/canonical"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		` { "b" : 1 , "a" : [ true , null ] } `:           `{"a":[true,null],"b":1}`,
		`{"\u20ac":1,"\r":2,"\ud83d\ude00":3,"\ufb33":4}`: "{\"\\r\":2,\"€\":1,\"😀\":3,\"\ufb33\":4}",
		`{"b":{"d":[{"f":1,"e":2}],"c":{}},"a":0}`:        `{"a":0,"b":{"c":{},"d":[{"e":2,"f":1}]}}`,
		`"\u000f\u0041\/\b\"\\"`:                          `"\u000fA/\b\"\\"`,
		`[1.0,-0,1e3,0.000001,1e-7,333333333.33333329]`:   `[1,0,1000,0.000001,1e-7,333333333.3333333]`,
		`9007199254740992`:                                `9007199254740992`,
		`-9007199254740992`:                               `-9007199254740992`,
		`""`:                                              `""`,
	} {
		got, err := canonical.JSON([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestJSON_refused(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"", " ", "nul", "tru e", "[1,]", "[,1]", "[1 2]", "[", "]", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, "1 2", "01", "+1", ".5", "1.", "1e", "0x1", "NaN", "Infinity", "--1",
		`{"a":1,"a":1}`, `{"a":1,"\u0061":2}`, `{"x":{"b":1,"c":2,"b":3}}`,
		"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", `"\ud800"`, `"\ud800\u0041"`, `"\udc00"`, `"\ud800\ud800"`, `"\x"`, `"\u00g0"`, `"\u12`, "\"\x00\"", "\"a\nb\"", `"abc`, "\x00", "\ufeff1",
		"9007199254740993", "-9007199254740993", "1e400", "9007199254740994", "1e16", "123456789012345678901234567890",
		strings.Repeat("[", 200) + strings.Repeat("]", 200),
	} {
		if got, err := canonical.JSON([]byte(in)); !errors.Is(err, canonical.ErrRefused) {
			t.Errorf("%q became %q, %v", in, got, err)
		}
	}
}

// FuzzJSON compares with encoding/json and with a second implementation of RFC 8785.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"b":[1,2.5,1e-7,"é\u00e9"],"a":{"":null}}`, `[1e20,-1.5e-10,123456789.125]`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, `{"1":{},"a\u0000":0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := canonical.JSON(in)
		if err != nil {
			return
		}
		if !json.Valid(in) {
			t.Fatalf("%q is no JSON, but became %q", in, got)
		}
		if again, err := canonical.JSON(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q is not its own canonical form: %q, %v", got, again, err)
		}
		same(t, in, got)
		// The other implementation takes objects and arrays only.
		other, err := jcs.Transform([]byte("[" + string(in) + "]"))
		if err != nil {
			t.Fatalf("%q is refused elsewhere: %v", in, err)
		}
		if string(other) != "["+string(got)+"]" {
			t.Fatalf("%q became %q, elsewhere %q", in, got, other)
		}
	})
}

// same fails unless both texts mean the same.
func same(t *testing.T, a, b []byte) {
	t.Helper()
	var va, vb any
	if err := errors.Join(json.Unmarshal(a, &va), json.Unmarshal(b, &vb)); err != nil {
		t.Fatal(err)
	}
	ja, _ := json.Marshal(va) // what was just read can be written
	jb, _ := json.Marshal(vb)
	if !bytes.Equal(ja, jb) && !bytes.Contains(ja, []byte("-0")) {
		t.Fatalf("%s means something else than %s", jb, ja)
	}
}

// TestJSON_numbers compares how doubles are written over the whole range that is accepted.
func TestJSON_numbers(t *testing.T) {
	t.Parallel()
	for e := -1074; e <= 53; e++ {
		for _, m := range []float64{1, 1.1, 1.9999999999999998, -1.5} {
			v := math.Ldexp(m, e)
			if math.Abs(v) > 1<<53 {
				continue
			}
			in, err := json.Marshal([]float64{v})
			if err != nil {
				t.Fatal(err)
			}
			got, err := canonical.JSON(in)
			want, werr := jcs.Transform(in)
			if err != nil || werr != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s became %s, %v; elsewhere %s, %v", in, got, err, want, werr)
			}
		}
	}
}
