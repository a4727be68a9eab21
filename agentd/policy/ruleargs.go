package policy

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// toolHTTP is the tool whose arguments say the same in several ways.
const toolHTTP = "http_request"

// callArgs are the arguments of a call as the rules see them.
type callArgs struct {
	s     Subject
	plain map[string]any
	body  *requestBody // read once a rule asks for it
}

// requestBody is what stands in the body of a request, and in the query of its address.
type requestBody struct {
	json    any
	form    url.Values
	query   url.Values
	unclear bool // readers could take it for different things
}

func argsOf(s Subject) *callArgs { return &callArgs{s: s, plain: ruleArgs(s.Args)} }

func ruleArgs(raw json.RawMessage) map[string]any {
	m, _ := readJSON(string(raw)).(map[string]any)
	return m
}

// readJSON reads a text whose numbers stay as they are written; nil when it cannot.
func readJSON(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// find gives the values of an argument: those of a list are each one. sure is false when it cannot be read for certain.
// What is to be certain is only what stands in its place itself.
func (a *callArgs) find(name string, certain bool) (values []any, sure bool) {
	if rest, ok := strings.CutPrefix(name, "body."); ok && a.s.Tool == toolHTTP {
		return a.inBody(strings.Split(rest, "."), certain)
	}
	if name == "tool" && a.s.Tool == toolHTTP {
		return a.tools(certain)
	}
	if v, ok := a.plain[name]; ok {
		return pick(v, nil, true), true
	}
	return pick(a.plain, strings.Split(name, "."), true), true
}

// tools are the names of the business tool that a request goes to: the one that it gives, and all others.
func (a *callArgs) tools(certain bool) (values []any, sure bool) {
	given, named := a.plain["tool"]
	if named {
		values = []any{given}
	}
	if named && certain {
		return values, true
	}
	if a.s.To == nil {
		return values, named
	}
	for _, t := range a.s.To.Tools {
		values = append(values, t)
	}
	return values, true
}

// inBody gives the values of a field of a request's body. For what asks or denies, letters of either case are the same,
// and a value of this name in the address counts too: some tools read it there.
func (a *callArgs) inBody(at []string, certain bool) (values []any, sure bool) {
	if a.body == nil {
		a.body = a.readBody()
	}
	b := a.body
	values = append(pick(b.json, at, certain), picked(b.form, at, certain)...)
	if !certain {
		values = append(values, picked(b.query, at, false)...)
	} else if len(picked(b.query, at, false)) > 0 {
		return nil, false
	}
	return values, !b.unclear
}

func (a *callArgs) readBody() *requestBody {
	b := &requestBody{}
	address, _ := a.plain["url"].(string)
	address, _, _ = strings.Cut(address, "#")
	_, query, _ := strings.Cut(address, "?")
	var err, bad error
	b.query, err = url.ParseQuery(query)
	text, _ := a.plain["body"].(string)
	text = strings.TrimSpace(text)
	switch {
	case text == "":
	case text[0] == '{', text[0] == '[':
		b.json, b.unclear = readJSON(text), hasTwice(text)
	default:
		b.form, bad = url.ParseQuery(text)
		b.unclear = !strings.Contains(text, "=")
	}
	b.unclear = b.unclear || err != nil || bad != nil
	return b
}

// pick gives what stands at a place of nested values, of every element of a list on the way.
func pick(v any, at []string, exact bool) (values []any) {
	if list, is := v.([]any); is {
		for _, one := range list {
			values = append(values, pick(one, at, exact)...)
		}
		return values
	}
	if len(at) == 0 {
		return []any{v}
	}
	in, _ := v.(map[string]any)
	for name, one := range in {
		if sameName(name, at[0], exact) {
			values = append(values, pick(one, at[1:], exact)...)
		}
	}
	return values
}

// picked is pick for a form, in which posts[0][status] is status of posts.
func picked(form url.Values, at []string, exact bool) (values []any) {
	for name, all := range form {
		parts := slices.DeleteFunc(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[].", r) }), func(s string) bool {
			_, err := strconv.Atoi(s)
			return err == nil
		})
		if !slices.EqualFunc(parts, at, func(a, b string) bool { return sameName(a, b, exact) }) {
			continue
		}
		for _, v := range all {
			values = append(values, v)
		}
	}
	return values
}

func sameName(a, b string, exact bool) bool { return a == b || !exact && fold(a) == fold(b) }
