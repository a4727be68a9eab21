package tool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gatehouse/agentd/tool"
)

type inner struct {
	Old string `json:"old"`
}

type args struct {
	Path  string `json:"path" jsonschema:"description=where"`
	Note  string `json:"note,omitempty"`
	Inner inner  `json:"inner,omitempty"`
}

func TestParse_refusals(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing":                "",
		"not JSON":               "{",
		"a list":                 `["path"]`,
		"missing":                `{}`,
		"unknown":                `{"path":"a","x":1}`,
		"other case":             `{"Path":"a"}`,
		"twice":                  `{"path":"a","path":"b"}`,
		"twice, escaped":         `{"path":"a","p\u0061th":"b"}`,
		"twice within":           `{"path":"a","inner":{"old":"a","old":"b"}}`,
		"unknown within":         `{"path":"a","inner":{"old":"a","new":"b"}}`,
		"null":                   `{"path":null}`,
		"null within":            `{"path":"a","inner":{"old":null}}`,
		"wrong type":             `{"path":7}`,
		"two values":             `{"path":"a"}{"path":"b"}`,
		"rubbish behind":         `{"path":"a"} x`,
		"not UTF-8":              "{\"path\":\"\xff\"}",
		"NaN":                    `{"path":NaN}`,
		"deep":                   `{"path":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"full-width name":        `{"ｐath":"a"}`,
		"name with space behind": `{"path ":"a"}`,
	} {
		if got, err := tool.Parse[args]([]byte(in)); !errors.Is(err, tool.ErrArgs) {
			t.Errorf("%s: Parse(%.60q) = %+v, %v; want ErrArgs", name, in, got, err)
		}
	}
}

func TestParse_fits(t *testing.T) {
	t.Parallel()
	got, err := tool.Parse[args]([]byte(` {"path":"a\u0000b","inner":{"old":"x"}} `))
	if err != nil || got.Path != "a\x00b" || got.Inner.Old != "x" {
		t.Fatalf("Parse = %+v, %v", got, err)
	}
}

func TestSchemaOf_validates(t *testing.T) {
	t.Parallel()
	s := compile(t, tool.SchemaOf[args]())
	for in, fits := range map[string]bool{
		`{"path":"a"}`:            true,
		`{"path":"a","note":"b"}`: true,
		`{"note":"b"}`:            false,
		`{"path":"a","x":1}`:      false,
		`{"Path":"a"}`:            false,
		`{"path":1}`:              false,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != fits {
			t.Errorf("%s: %v, want fits=%v", in, err, fits)
		}
	}
}

func TestSchemaOf_isBare(t *testing.T) {
	t.Parallel()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(tool.SchemaOf[args](), &m); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"$schema", "$id", "$ref", "$defs"} {
		if _, ok := m[k]; ok {
			t.Errorf("schema holds %s", k)
		}
	}
	if !strings.Contains(string(m["properties"]), `"description":"where"`) {
		t.Error("the description of the tag is missing")
	}
}

func compile(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("args.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("args.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzParse(f *testing.F) {
	f.Add(`{"path":"a"}`)
	f.Add(`{"path":"a","path":"b"}`)
	f.Fuzz(func(t *testing.T, in string) {
		got, err := tool.Parse[args]([]byte(in))
		if err != nil {
			return
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := tool.Parse[args](again); err != nil || back != got {
			t.Fatalf("%q: %+v read back as %+v, %v", in, got, back, err)
		}
	})
}
