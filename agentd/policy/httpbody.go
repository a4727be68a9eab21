package policy

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"gatehouse/agentd/lazyre"
)

// fields are the values of a request's query and body by the last part of their names, in lower case. Where two
// readers could take different values all of them are here.
type fields struct {
	by      map[string][]string
	unclear bool // the body is neither plain JSON nor form data
}

// The kinds of what a body can be, as it is sent.
const (
	BodyNone  = ""
	BodyJSON  = "json"
	BodyXML   = "xml"
	BodyForm  = "form"
	BodyOther = "other"
)

// BodyKind is what a body is by how it begins, to who judges it and to who sends it: XML with an attribute is no form, though
// an equals sign stands in it.
func BodyKind(body string) string {
	text := strings.TrimSpace(body)
	switch {
	case text == "":
		return BodyNone
	case text[0] == '{' || text[0] == '[':
		return BodyJSON
	case text[0] == '<':
		return BodyXML
	case strings.Contains(text, "="):
		return BodyForm
	}
	return BodyOther
}

func readFields(query url.Values, body string) fields {
	f := fields{by: map[string][]string{}}
	f.form(query)
	for name := range query {
		f.add(askedFor, strings.ToLower(name))
	}
	text := strings.TrimSpace(body)
	switch kind := BodyKind(text); kind {
	case BodyNone:
	case BodyJSON:
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		f.unclear = f.json(d, "", 0) != nil || d.More()
	case BodyXML:
		f.unclear = true
	default:
		form, err := url.ParseQuery(text)
		f.unclear = err != nil || kind == BodyOther
		f.form(form)
	}
	return f
}

func (f fields) form(v url.Values) {
	for name, values := range v {
		for _, value := range values {
			f.add(lastName(name), value)
		}
	}
}

func (f fields) add(name, value string) {
	name = strings.ToLower(name)
	f.by[name] = append(f.by[name], value)
}

// lastName is the name of a field in a form: posts[0][status] is status.
func lastName(s string) string {
	s = strings.TrimRight(s, "]")
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '[' || r == ']' || r == '.' })
	if len(parts) == 0 {
		return s
	}
	return parts[len(parts)-1]
}

// json reads every value, also of names that stand twice.
func (f fields) json(d *json.Decoder, name string, depth int) error {
	t, err := d.Token()
	if err != nil || depth > 64 {
		return errURL
	}
	switch t := t.(type) {
	case json.Delim:
		return f.nested(d, name, t, depth)
	case string:
		f.add(name, t)
	case json.Number:
		f.add(name, t.String())
	case bool:
		f.add(name, map[bool]string{true: "true", false: "false"}[t])
	default:
		f.add(name, "null")
	}
	return nil
}

func (f fields) nested(d *json.Decoder, name string, open json.Delim, depth int) error {
	for d.More() {
		if open == '{' {
			t, err := d.Token()
			key, ok := t.(string)
			if err != nil || !ok {
				return errURL
			}
			name = key
			f.add("", key)
		}
		if err := f.json(d, name, depth+1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (f fields) values(name string) []string { return f.by[name] }

// hold says whether every value of each field is in its list, so that the request is the more harmless one.
func (f fields) hold(w httpWhen) bool {
	return !slices.ContainsFunc(w.fields, func(h httpField) bool { return !f.all(h) })
}

// all says whether every value of a field is in its list. What the query asks is clear, whatever the body is.
func (f fields) all(w httpField) bool {
	have := f.values(w.name)
	if f.unclear && w.name != askedFor || len(have) == 0 && !w.absent {
		return false
	}
	return !slices.ContainsFunc(have, func(v string) bool { return !slices.Contains(w.values, v) })
}

var (
	graphChange = lazyre.MustCompile(`(?i)\b(?:mutation|subscription)\b`)
	graphRead   = lazyre.MustCompile(`^\s*(?:query\b|\{|fragment\b)`)
)

// graphql judges the query of a GraphQL request: one that names no mutation reads.
func (f fields) graphql() (Tier, string) {
	queries := f.values("query")
	if f.unclear || len(queries) == 0 {
		return Red, "The gate cannot read this GraphQL request."
	}
	for _, q := range queries {
		if graphChange.MatchString(q) || !graphRead.MatchString(q) {
			return Red, "It is a GraphQL request that changes something."
		}
	}
	return Green, ""
}
