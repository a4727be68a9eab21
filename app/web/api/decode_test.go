package api

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"what the route takes":  {`{"text":"hello"}`, true},
		"an unknown field":      {`{"text":"hello","role":"owner"}`, false},
		"a field twice":         {`{"text":"one","text":"two"}`, false},
		"a field twice by case": {`{"text":"one","TEXT":"two"}`, false},
		"keys of arguments":     {`{"args":{"a":1,"A":2}}`, true},
		"a key twice far below": {`{"args":{"a":[{"b":1,"b":2}]}}`, false},
		"text after the end":    {`{"text":"hello"} {}`, false},
		"not an object":         {`"hello"`, false},
		"nothing":               {``, false},
		"half":                  {`{"text":`, false},
		"too deep":              {`{"args":` + deep + `}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var into struct {
				Text string `json:"text"`
				Args any    `json:"args"`
			}
			ctx := echo.New().NewContext(httptest.NewRequest("POST", "/", strings.NewReader(c.body)), httptest.NewRecorder())
			err := decode(ctx, &into)
			if (err == nil) != c.ok {
				t.Fatalf("got %v, want ok %v", err, c.ok)
			}
			if err != nil && fault.Of(err).Kind != fault.Malformed {
				t.Fatalf("kind %s, want malformed", fault.Of(err).Kind)
			}
		})
	}
}

func FuzzStrict(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		_ = strict(raw) // must return
	})
}
