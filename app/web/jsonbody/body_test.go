package jsonbody_test

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/web/jsonbody"
)

type inner struct {
	Key string `json:"key"`
}

type taken struct {
	Text string          `json:"text"`
	Args json.RawMessage `json:"args"`
	Sig  *inner          `json:"signature"`
	Many []inner         `json:"many"`
	At   time.Time       `json:"at"`
	Bare int
	Skip string `json:"-"`
	inner
}

func request(text string) echo.Context {
	return echo.New().NewContext(httptest.NewRequest("POST", "/", strings.NewReader(text)), httptest.NewRecorder())
}

func TestDecode(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"what the route takes":    {`{"text":"hello","at":"2026-01-02T03:04:05Z","many":[{"key":"a"}],"signature":{"key":"b"},"Bare":1}`, true},
		"space around":            {" \n{\"text\":\"hello\"}\t", true},
		"nothing in it":           {`{}`, true},
		"null for a struct":       {`{"signature":null,"many":null}`, true},
		"an unknown field":        {`{"text":"hello","role":"owner"}`, false},
		"a field in another case": {`{"Text":"hello"}`, false},
		"all in capitals":         {`{"TEXT":"hello"}`, false},
		"a letter folded to k":    {"{\"signature\":{\"\u212aey\":\"b\"}}", false},
		"another case below":      {`{"signature":{"Key":"b"}}`, false},
		"another case in a list":  {`{"many":[{"key":"a"},{"KEY":"b"}]}`, false},
		"unknown below":           {`{"signature":{"key":"b","more":1}}`, false},
		"a field without a tag":   {`{"bare":1}`, false},
		"a field not for JSON":    {`{"Skip":"x"}`, false},
		"an embedded field":       {`{"key":"x"}`, true},
		"a field twice":           {`{"text":"one","text":"two"}`, false},
		"a field twice by escape": {`{"text":"one","\u0074ext":"two"}`, false},
		"a field twice by case":   {`{"text":"one","TEXT":"two"}`, false},
		"keys of arguments":       {`{"args":{"a":1,"A":2,"Text":3}}`, true},
		"a key twice far below":   {`{"args":{"a":[{"b":1,"b":2}]}}`, false},
		"text after the end":      {`{"text":"hello"} {}`, false},
		"a string":                {`"hello"`, false},
		"a list":                  {`[]`, false},
		"null":                    {`null`, false},
		"nothing":                 {``, false},
		"half":                    {`{"text":`, false},
		"too deep":                {`{"args":` + deep + `}`, false},
		"not UTF-8":               {"{\"text\":\"\xff\"}", false},
		"another type":            {`{"text":5}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var into taken
			err := jsonbody.Decode(request(c.text), &into)
			if (err == nil) != c.ok {
				t.Fatalf("got %v, want ok %v", err, c.ok)
			}
			if err != nil && (fault.Of(err).Kind != fault.Malformed || !reflect.DeepEqual(into, taken{})) {
				t.Fatalf("kind %s, read %+v", fault.Of(err).Kind, into)
			}
		})
	}
}

func TestNone(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"": true, " \n": true, "{}": true, `{"run_id":"x"}`: false, "[]": false, "null": false, "x": false} {
		if err := jsonbody.None(request(text)); (err == nil) != ok || err != nil && fault.Of(err).Kind != fault.Malformed {
			t.Errorf("%q: %v, want ok %v", text, err, ok)
		}
	}
}

// FuzzDecode: what is taken means to encoding/json what it means to a reader that compares names exactly.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"text":"a","args":[1,{"b":null}]}`, `{"text":1,"text":2}`, `{"Text":""}`, `{"many":[{"key":""}]}`, `null`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var into taken
		if jsonbody.Decode(request(text), &into) != nil {
			return
		}
		var have map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &have); err != nil {
			t.Fatalf("%q was taken, and is no object: %v", text, err)
		}
		var want string
		if raw, ok := have["text"]; ok && json.Unmarshal(raw, &want) != nil || into.Text != want {
			t.Fatalf("%q: read %q, stands %q", text, into.Text, want)
		}
	})
}
