package jsonbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
)

// maxDepth is how deep the JSON of a request may be nested.
const maxDepth = 32

// Bad says, in words for the person, that a request is not what the route takes: 400.
func Bad(text string) error {
	return fault.New(fault.Malformed, "bad-request", "request does not fit", text+" Nothing was changed.")
}

// Decode reads the body into the struct that into points to: one JSON object in valid UTF-8, no key twice, no field that
// the struct does not have. Names are compared exactly, where encoding/json would take either case.
func Decode(c echo.Context, into any) error {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	if err := fits(raw, into); err != nil {
		return Bad("The body is not acceptable JSON: " + err.Error() + ".")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return Bad("The body does not fit this route: " + err.Error() + ".")
	}
	return nil
}

// None reads a body that must say nothing: it is empty, or an object without fields.
func None(c echo.Context) error {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return err
	}
	if err := fits(raw, &struct{}{}); err != nil {
		return Bad("This route takes no body: " + err.Error() + ".")
	}
	return nil
}

func fits(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return errors.New("it is not valid UTF-8")
	}
	if err := whole(raw); err != nil {
		return err
	}
	if raw = bytes.TrimSpace(raw); raw[0] != '{' {
		return errors.New("it is not an object")
	}
	return exact(raw, reflect.TypeOf(into).Elem())
}

// whole refuses repeated keys, deep nesting and trailing text.
func whole(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if err := walk(dec, 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the end")
	}
	return nil
}

func walk(dec *json.Decoder, depth int) error {
	if depth > maxDepth {
		return errors.New("nested too deep")
	}
	tok, err := dec.Token()
	if err != nil {
		return errors.New("it cannot be read")
	}
	switch tok {
	case json.Delim('{'):
		return walkObject(dec, depth)
	case json.Delim('['):
		for dec.More() {
			if err := walk(dec, depth+1); err != nil {
				return err
			}
		}
		_, err = dec.Token()
	}
	return err
}

func walkObject(dec *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return errors.New("it cannot be read")
		}
		if seen[name] {
			return errors.New("the key " + strconv.Quote(name) + " stands twice")
		}
		seen[name] = true
		if err := walk(dec, depth+1); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}
