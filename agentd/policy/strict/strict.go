package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep arguments may nest: far beyond any tool, far below what costs stack.
const maxDepth = 64

// ErrArgs says that arguments do not fit their type. Its text is fit for the model.
var ErrArgs = errors.New("arguments do not fit")

// Parse reads arguments strictly: one JSON object in valid UTF-8, no field twice, none unknown (names are compared
// exactly, not regardless of case), none missing, null nowhere.
func Parse[T any](args json.RawMessage) (T, error) {
	var out T
	if !utf8.Valid(args) {
		return out, fmt.Errorf("%w: not valid UTF-8", ErrArgs)
	}
	if err := walk(args); err != nil {
		return out, fmt.Errorf("%w: %w", ErrArgs, err)
	}
	if err := exactNames(args, reflect.TypeFor[T]()); err != nil {
		return out, fmt.Errorf("%w: %w", ErrArgs, err)
	}
	if err := json.Unmarshal(args, &out); err != nil {
		return *new(T), fmt.Errorf("%w: %w", ErrArgs, err)
	}
	return out, nil
}

// walk refuses duplicate names, null, depth and anything after the first value.
func walk(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := value(d, 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}

func value(d *json.Decoder, depth int) error {
	t, err := d.Token()
	switch {
	case err != nil:
		return errors.New("not valid JSON")
	case t == nil:
		return errors.New("null is not a value here")
	case depth > maxDepth:
		return errors.New("nested too deep")
	}
	switch t {
	case json.Delim('{'):
		return members(d, depth)
	case json.Delim('['):
		return elements(d, depth)
	}
	return nil
}

func members(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return errors.New("not valid JSON")
		}
		if seen[name] {
			return fmt.Errorf("field %q stands twice", name)
		}
		seen[name] = true
		if err := value(d, depth+1); err != nil {
			return err
		}
	}
	return closing(d)
}

func elements(d *json.Decoder, depth int) error {
	for d.More() {
		if err := value(d, depth+1); err != nil {
			return err
		}
	}
	return closing(d)
}

func closing(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return errors.New("not valid JSON")
	}
	return nil
}

// exactNames compares the names of an object with the fields of t, and those of structs within.
func exactNames(b []byte, t reflect.Type) error {
	var have map[string]json.RawMessage
	if err := json.Unmarshal(b, &have); err != nil {
		return errors.New("not a JSON object")
	}
	for i := range t.NumField() {
		name, opts, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		raw, ok := have[name]
		if !ok && !strings.Contains(opts, "omitempty") {
			return fmt.Errorf("field %q is missing", name)
		}
		delete(have, name)
		if ok {
			if err := exactWithin(raw, t.Field(i).Type); err != nil {
				return err
			}
		}
	}
	for name := range have {
		return fmt.Errorf("unknown field %q", name)
	}
	return nil
}

// exactWithin compares the names in a field that is an object, or a list of objects.
func exactWithin(raw json.RawMessage, t reflect.Type) error {
	switch {
	case t.Kind() == reflect.Struct:
		return exactNames(raw, t)
	case t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Struct:
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return errors.New("not a list of objects")
	}
	for _, one := range list {
		if err := exactNames(one, t.Elem()); err != nil {
			return err
		}
	}
	return nil
}
