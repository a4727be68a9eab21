package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"gatehouse/agentd/tool"
)

// maxArgs is the largest argument text that the gate reads at all.
const maxArgs = 12 << 20

// compileSchema reads the schema of a tool's arguments. The schema must describe an object without further fields.
func compileSchema(def tool.Definition) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(def.Args))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("args.json", doc); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s, err := c.Compile("args.json")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if closed, ok := s.AdditionalProperties.(bool); !ok || closed {
		return nil, errors.New("schema: it must refuse unknown fields (additionalProperties: false)")
	}
	return s, nil
}

// validateArgs checks canonical arguments against s. The model reads its error: which field, what is wrong.
func validateArgs(s *jsonschema.Schema, args json.RawMessage) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return err
	}
	var bad *jsonschema.ValidationError
	if err := s.Validate(doc); errors.As(err, &bad) {
		return errors.New(strings.Join(leafErrors(bad), "; "))
	} else if err != nil {
		return err
	}
	return nil
}

// leafErrors are the reasons at the end of each branch of a validation error.
func leafErrors(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		where := "/" + strings.Join(e.InstanceLocation, "/")
		return []string{where + ": " + e.ErrorKind.LocalizedString(printer)}
	}
	var all []string
	for _, c := range e.Causes {
		all = append(all, leafErrors(c)...)
	}
	return all
}

// printer words validation errors in English.
var printer = message.NewPrinter(language.English)
