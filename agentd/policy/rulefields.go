package policy

import (
	"net/url"
	"strconv"
	"strings"
)

// place is where values stand in an object: all that lead there by the same names, in letters of either case, through
// whatever lists. The whole object is walked once, however many rules ask for parts of it.
type place struct {
	name   string // as it is spelled
	mixed  bool   // it is spelled in other letters, too
	had    int    // how many objects have it
	values []any  // those of lists are each one
	in     map[string]*place
}

// put adds a value and all that stands in it.
func (p *place) put(v any) {
	if list, is := v.([]any); is {
		for _, one := range list {
			p.put(one)
		}
		return
	}
	p.values = append(p.values, v)
	in, _ := v.(map[string]any)
	for name, one := range in {
		p.under(name).put(one)
	}
}

// under is the place of a name in the objects that stand here.
func (p *place) under(name string) *place {
	key := fold(name)
	next := p.in[key]
	if next == nil {
		if p.in == nil {
			p.in = map[string]*place{}
		}
		next = &place{name: name}
		p.in[key] = next
	}
	next.mixed = next.mixed || next.name != name
	next.had++
	return next
}

// at gives what stands under some names. It is sure unless that has to be certain, and a name is spelled in other letters
// or an element of a list on the way lacks it.
func (p *place) at(names []string, certain bool) (values []any, sure bool) {
	sure = true
	for _, name := range names {
		next := p.in[fold(name)]
		if next == nil {
			return nil, true
		}
		sure = sure && (!certain || !next.mixed && next.name == name && next.had == len(p.values))
		p = next
	}
	return p.values, sure
}

// field is a name in a form: posts[0][status] is status in the first element of posts.
type field struct {
	values []string
	in     map[string]*field
}

// fill adds what stands in a form; false when a name leads deeper than any reader goes.
func (p *place) fill(form url.Values) bool {
	top := &field{}
	for name, values := range form {
		f, parts := top, strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("[].", r) })
		if len(parts) > 64 {
			return false
		}
		for _, part := range parts {
			f = f.under(part)
		}
		f.values = append(f.values, values...)
	}
	p.take(top)
	return true
}

func (f *field) under(name string) *field {
	next := f.in[name]
	if next == nil {
		if f.in == nil {
			f.in = map[string]*field{}
		}
		next = &field{}
		f.in[name] = next
	}
	return next
}

// take adds a field: its values, its elements, and what else stands in it as one object.
func (p *place) take(f *field) {
	for _, v := range f.values {
		p.values = append(p.values, v)
	}
	object := false
	for name, one := range f.in {
		if _, err := strconv.Atoi(name); err == nil {
			p.take(one)
			continue
		}
		object = true
		p.under(name).take(one)
	}
	if object {
		p.values = append(p.values, map[string]any{})
	}
}

// flat adds a value to others: of a list, each element.
func flat(v any, to []any) []any {
	list, is := v.([]any)
	if !is {
		return append(to, v)
	}
	for _, one := range list {
		to = flat(one, to)
	}
	return to
}
