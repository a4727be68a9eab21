package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Root is where the described paths begin.
const Root = "/api/v1"

// Spec is a description of the API.
type Spec struct{ doc *openapi3.T }

// Load reads a description as GET /api/openapi.json gives it, and refuses one that is none.
func Load(ctx context.Context, doc []byte) (*Spec, error) {
	t, err := openapi3.NewLoader().LoadFromData(doc)
	if err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	if err := t.Validate(ctx); err != nil {
		return nil, fmt.Errorf("the description of the API: %w", err)
	}
	return &Spec{t}, nil
}

// Answer says how an answer differs from what is described: a route, status, content type or body that is not.
func (s *Spec) Answer(method, path string, status int, contentType string, body []byte) error {
	op := s.operation(method, strings.TrimPrefix(path, Root))
	if op == nil {
		return fmt.Errorf("%s %s is not described", method, path)
	}
	r := op.Responses.Value(strconv.Itoa(status))
	if r == nil && status >= 400 {
		r = op.Responses.Default()
	}
	if r == nil {
		return fmt.Errorf("%s %s answers %d, which is not described", method, path, status)
	}
	if len(r.Value.Content) == 0 && len(body) == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(contentType)
	media := r.Value.Content[kind]
	if err != nil || media == nil {
		return fmt.Errorf("%s %s answers %d with %q, which is not described", method, path, status, contentType)
	}
	if kind == "text/event-stream" {
		return nil // its events are compared one by one
	}
	if err := fits(media.Schema, body); err != nil {
		return fmt.Errorf("%s %s answers %d: %w", method, path, status, err)
	}
	return nil
}

// operation finds what is asked for; of two paths that fit the one without a name in its place.
func (s *Spec) operation(method, path string) *openapi3.Operation {
	path, _, _ = strings.Cut(path, "?")
	var found *openapi3.Operation
	for template, item := range s.doc.Paths.Map() {
		if op := item.GetOperation(method); op != nil && (template == path || found == nil && leads(template, path)) {
			found = op
		}
	}
	return found
}

func leads(template, path string) bool {
	want, have := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i, part := range want {
		if part != have[i] && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return true
}

// Event says how the data of an event differ from the schema that bears its name, as DeltaEvent for delta.
func (s *Spec) Event(kind string, data []byte) error {
	schema := s.doc.Components.Schemas[strings.ToUpper(kind[:min(1, len(kind))])+kind[min(1, len(kind)):]+"Event"]
	if schema == nil {
		return fmt.Errorf("event %q is not described", kind)
	}
	if err := fits(schema, data); err != nil {
		return fmt.Errorf("event %s: %w", kind, err)
	}
	return nil
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

func fits(schema *openapi3.SchemaRef, text []byte) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("no JSON: %w: %.200s", err, text)
	}
	err := schema.Value.VisitJSON(v, openapi3.VisitAsResponse(), openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
		openapi3.WithStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(uuidForm.String())))
	if err != nil {
		return fmt.Errorf("%w\nin %.2000s", err, text)
	}
	return nil
}
