package httprequest

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/tool"
)

// body is what a request carries, read once: the references are those of its decoded values, whatever escapes they
// were written with.
type body struct {
	raw  string
	kind string // content type
	json any    // JSON only
	form url.Values
	refs []fieldRef
}

// fieldRef is a reference in a field. Fields of nested objects are joined by dots; the elements of a list share the
// name of the list with [] behind it.
type fieldRef struct{ name, field string }

// sentAs is the content type of each kind of body.
var sentAs = map[string]string{
	policy.BodyNone: "text/plain; charset=utf-8", policy.BodyOther: "text/plain; charset=utf-8", policy.BodyJSON: "application/json",
	policy.BodyXML: "application/xml", policy.BodyForm: "application/x-www-form-urlencoded",
}

func readBody(raw string) (body, error) {
	kind := policy.BodyKind(raw)
	b := body{raw: raw, kind: sentAs[kind]}
	var err error
	switch kind {
	case policy.BodyNone:
		return b, nil
	case policy.BodyJSON:
		err = b.readJSON()
	case policy.BodyForm:
		err = b.readForm()
	}
	if err == nil && len(b.refs) == 0 && strings.Contains(raw, "SECRET_REF") {
		err = tool.Refuse("A secret can stand in the value of a field alone. Nothing was sent.")
	}
	return b, err
}

func (b *body) readJSON() error {
	plain, err := canonical.JSON([]byte(b.raw))
	if err != nil {
		if strings.Contains(b.raw, "SECRET") || strings.Contains(b.raw, `\u`) {
			return tool.Refuse("The body is not plain JSON, and might hold a reference. Nothing was sent.")
		}
		return nil // without a reference it goes as it is
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.UseNumber()
	if err := d.Decode(&b.json); err != nil {
		return tool.Refuse("The body is not plain JSON. Nothing was sent.")
	}
	return b.walk(b.json, "", func(text, field string) (string, error) { return text, b.note(text, field) })
}

func (b *body) readForm() error {
	form, err := url.ParseQuery(b.raw)
	if err != nil {
		if strings.Contains(b.raw, "SECRET") || strings.Contains(b.raw, "%") {
			return tool.Refuse("The body is no plain form, and might hold a reference. Nothing was sent.")
		}
		return nil
	}
	b.form = form
	for field, values := range form {
		if strings.Contains(field, "SECRET_REF") {
			return tool.Refuse("A secret never stands in the name of a field. Nothing was sent.")
		}
		for _, v := range values {
			if err := b.note(v, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// note keeps the references of one value.
func (b *body) note(text, field string) error {
	names, err := gate.Refs(text)
	for _, n := range names {
		b.refs = append(b.refs, fieldRef{n, field})
	}
	return err
}

// walk hands every string of a JSON value to fn and puts what it gives in its place.
func (b *body) walk(v any, field string, fn func(text, field string) (string, error)) error {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			if strings.Contains(k, "SECRET_REF") {
				return tool.Refuse("A secret never stands in the name of a field. Nothing was sent.")
			}
			where := strings.TrimPrefix(field+"."+k, ".")
			if text, ok := inner.(string); ok {
				out, err := fn(text, where)
				if err != nil {
					return err
				}
				v[k] = out
			} else if err := b.walk(inner, where, fn); err != nil {
				return err
			}
		}
	case []any:
		for i, inner := range v {
			if text, ok := inner.(string); ok {
				out, err := fn(text, field+"[]")
				if err != nil {
					return err
				}
				v[i] = out
			} else if err := b.walk(inner, field+"[]", fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill gives the body with values in the place of references. Without references it is the text as it was written.
func (b *body) fill(expand func(text, field string) (string, error)) (string, error) {
	if len(b.refs) == 0 {
		return b.raw, nil
	}
	if b.form != nil {
		return b.fillForm(expand)
	}
	if err := b.walk(b.json, "", expand); err != nil {
		return "", err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(b.json)
	return strings.TrimSuffix(out.String(), "\n"), err
}

func (b *body) fillForm(expand func(text, field string) (string, error)) (string, error) {
	for field, values := range b.form {
		for i, v := range values {
			out, err := expand(v, field)
			if err != nil {
				return "", err
			}
			values[i] = out
		}
	}
	return b.form.Encode(), nil
}
