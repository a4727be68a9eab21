package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/page"
)

// maxDepth is how deep the JSON of a request may be nested.
const maxDepth = 32

// errBody says that a body is not the JSON that the route takes.
func errBody(text string) error {
	return fault.New(fault.Malformed, "bad-request", "body does not fit", text+" Nothing was changed.")
}

// decode reads the body into into: one JSON object, no field that into does not have, no key twice.
func decode(c echo.Context, into any) error {
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	if err := strict(raw); err != nil {
		return errBody("The body is not acceptable JSON: " + err.Error() + ".")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errBody("The body does not fit this route: " + err.Error() + ".")
	}
	return nil
}

// strict refuses what two readers could understand differently: repeated keys, deep nesting, trailing text.
func strict(raw []byte) error {
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
		if err != nil {
			return errors.New("it cannot be read")
		}
		name, _ := key.(string)
		if depth == 0 {
			name = strings.ToLower(name) // our own fields: the decoder takes either case for one and the same
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

// idParam is a path parameter that must be one of our ids; anything else is not found, as an id of nobody is.
func idParam(c echo.Context, name string) (string, error) {
	id := c.Param(name)
	if uuid.Validate(id) != nil || len(id) != 36 {
		return "", echo.NewHTTPError(http.StatusNotFound)
	}
	return id, nil
}

// asked reads limit and after.
func asked(c echo.Context) (page.Ask, error) {
	a := page.Ask{After: c.QueryParam("after")}
	if v := c.QueryParam("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n == 0 {
			return page.Ask{}, errBody("limit must be a number from 1 to 200.")
		}
		a.Limit = n
	}
	return a.Clean()
}

// listed is one page of a list on the wire.
type listed[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

// list makes the wire form of a page: items is never null, next is null at the end.
func list[T, U any](of page.Of[T], each func(T) U) listed[U] {
	l := listed[U]{Items: make([]U, 0, len(of.Items))}
	for _, item := range of.Items {
		l.Items = append(l.Items, each(item))
	}
	if of.Next != "" {
		l.Next = &of.Next
	}
	return l
}
