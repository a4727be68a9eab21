package tool

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// SchemaOf makes the JSON Schema of the arguments T: no references, no further fields, every field required unless
// its tag says omitempty. Descriptions come from `jsonschema:"description=…"` tags.
func SchemaOf[T any]() json.RawMessage {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, ExpandedStruct: true}
	s := r.Reflect(new(T))
	s.Version = "" // model providers want the bare object
	b, err := json.Marshal(s)
	if err != nil {
		panic("tool: schema of a built-in type: " + err.Error()) // a programming error, met by every test
	}
	return b
}
