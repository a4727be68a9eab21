package policy

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// toolHTTP is the tool whose arguments say the same in several ways.
const toolHTTP = "http_request"

// callArgs are the arguments of a call as the rules see them.
type callArgs struct {
	s     Subject
	plain func() map[string]any // read once a rule asks for them
	all   *place                // all of plain, once a rule asks for what is not on top
	body  *requestBody          // read once a rule asks for it
	known map[argument]answers  // what rules have asked for before: many ask for the same
}

// argument is what a rule wants to know of the arguments.
type argument struct {
	name    string
	certain bool
}

// answers are the values of an argument: those of a list are each one. sure is false when it cannot be read for certain.
type answers struct {
	values []given
	sure   bool
}

// given is one value of an argument, made plain once for all rules that look at it.
type given struct {
	raw          any
	word, folded string
	is           bool // it is a word
}

// requestBody is what stands in the body of a request, and in the query of its address.
type requestBody struct {
	body, query *place
	unclear     bool // readers could take it for different things
	loose       bool // which values belong to one element is for the reader to say
}

func argsOf(s Subject) *callArgs {
	return &callArgs{s: s, plain: sync.OnceValue(func() map[string]any { return ruleArgs(s.Args) })}
}

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

// find gives the values of an argument. What is to be certain is only what stands in its place itself.
func (a *callArgs) find(name string, certain bool) answers {
	q := argument{name, certain}
	if got, ok := a.known[q]; ok {
		return got
	}
	values, sure := a.look(name, certain)
	got := answers{sure: sure}
	for _, v := range values {
		word, is := wordOf(v)
		got.values = append(got.values, given{v, word, fold(word), is})
	}
	if a.known == nil {
		a.known = map[argument]answers{}
	}
	a.known[q] = got
	return got
}

func (a *callArgs) look(name string, certain bool) (values []any, sure bool) {
	if rest, ok := strings.CutPrefix(name, "body."); ok && a.s.Tool == toolHTTP {
		return a.inBody(strings.Split(rest, "."), certain)
	}
	if name == "tool" && a.s.Tool == toolHTTP {
		return a.tools(certain)
	}
	if v, ok := a.plain()[name]; ok {
		return flat(v, nil), true
	}
	if a.all == nil {
		a.all = &place{}
		a.all.put(a.plain())
	}
	return a.all.at(strings.Split(name, "."), certain)
}

// tools are the names of the business tool that a request goes to: the one that it gives, and all others.
func (a *callArgs) tools(certain bool) (values []any, sure bool) {
	tool, named := a.plain()["tool"]
	if named {
		values = []any{tool}
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

// inBody gives the values of a field of a request's body. For what asks or denies, a value of this name in the address
// counts too: some tools read it there.
func (a *callArgs) inBody(at []string, certain bool) (values []any, sure bool) {
	if a.body == nil {
		a.body = a.readBody()
	}
	b := a.body
	if b.unclear || certain && b.loose {
		return nil, false
	}
	values, sure = b.body.at(at, certain)
	behind, _ := b.query.at(at, false)
	if certain {
		return values, sure && len(behind) == 0
	}
	return slices.Concat(values, behind), sure
}

func (a *callArgs) readBody() *requestBody {
	b := &requestBody{body: &place{}, query: &place{}}
	address, _ := a.plain()["url"].(string)
	address, _, _ = strings.Cut(address, "#")
	_, query, _ := strings.Cut(address, "?")
	behind, err := url.ParseQuery(query)
	b.unclear = !b.query.fill(behind) || err != nil
	text, _ := a.plain()["body"].(string)
	text = strings.TrimSpace(text)
	switch BodyKind(text) {
	case BodyNone:
	case BodyJSON:
		if hasTwice(text) {
			b.unclear = true
			break
		}
		b.body.put(readJSON(text))
	case BodyForm:
		form, err := url.ParseQuery(text)
		b.unclear = !b.body.fill(form) || err != nil || b.unclear
		b.loose = slices.ContainsFunc(keysOf(form), func(name string) bool { return strings.Contains(name, "[][") })
	default:
		b.unclear = true
	}
	return b
}
