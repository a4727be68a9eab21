package jsonbody

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// exact compares the names of the objects in raw with the fields of t, wherever t has structs.
func exact(raw json.RawMessage, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case readsItself(t):
		return nil
	case t.Kind() == reflect.Struct:
		return exactFields(raw, t)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return exactItems(raw, t.Elem())
	}
	return nil
}

func exactFields(raw json.RawMessage, t reflect.Type) error {
	var have map[string]json.RawMessage
	if json.Unmarshal(raw, &have) != nil {
		return nil // not an object: reading it into t says so, in better words
	}
	fields := fieldsOf(t)
	for name, value := range have {
		f, ok := fields[name]
		if !ok {
			return errors.New("the field " + strconv.Quote(name) + " is not known")
		}
		if err := exact(value, f); err != nil {
			return err
		}
	}
	return nil
}

func exactItems(raw json.RawMessage, t reflect.Type) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil // likewise
	}
	for _, item := range items {
		if err := exact(item, t); err != nil {
			return err
		}
	}
	return nil
}

// fieldsOf are the fields of a struct by their names in JSON, those of embedded structs among them.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			for k, v := range fieldsOf(f.Type) {
				out[k] = v
			}
		case !f.IsExported() || name == "-":
		case name == "":
			out[f.Name] = f.Type
		default:
			out[name] = f.Type
		}
	}
	return out
}

var reader = reflect.TypeFor[json.Unmarshaler]()

// readsItself says whether t has its own way to read JSON, as times and raw messages do.
func readsItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reader)
}
