package hx

import "github.com/a-h/templ"

// Request describes what an element asks for and what happens with the answer. Each method returns a changed copy.
type Request struct {
	verb, path string
	attrs      []pair
}

// pair keeps attributes in the order they were set, so that markup is the same each time.
type pair struct {
	name  string
	value string
}

// Get asks for path when the element is used: a form is submitted, a field changed, anything else clicked.
func Get(path string) Request { return Request{verb: "hx-get", path: path} }

// Post sends the enclosing form to path. Put it on the form itself, beside method and action.
func Post(path string) Request { return Request{verb: "hx-post", path: path} }

// Target says where the answer goes: a selector, "this", "closest …", "find …", "next …" or "previous …".
func (r Request) Target(selector string) Request { return r.with("hx-target", selector) }

// Swap says how the answer is put there.
func (r Request) Swap(s Style) Request { return r.with("hx-swap", string(s)) }

// Trigger says when the request is made, such as "load" or "input changed delay:250ms".
func (r Request) Trigger(events string) Request { return r.with("hx-trigger", events) }

// ReplaceURL puts the address of the request into the address bar without a step for Back.
func (r Request) ReplaceURL() Request { return r.with("hx-replace-url", "true") }

// Disable switches elements off while the request is under way: "this", "findAll button", a selector.
func (r Request) Disable(selector string) Request { return r.with("hx-disable", selector) }

// Latest lets a new request of this element replace the one under way, as a search field wants it.
func (r Request) Latest() Request { return r.with("hx-sync", "this:replace") }

// Once drops further requests of this element while one is under way.
func (r Request) Once() Request { return r.with("hx-sync", "this:drop") }

// NoValidate sends the form without the browser's own checks, so that the server's error summary is shown.
func (r Request) NoValidate() Request { return r.with("hx-validate", "false") }

// Attrs gives the attributes, to be spread into an element.
func (r Request) Attrs() templ.OrderedAttributes {
	out := templ.OrderedAttributes{{Key: r.verb, Value: r.path}}
	for _, p := range r.attrs {
		out = append(out, templ.KeyValue[string, any]{Key: p.name, Value: p.value})
	}
	return out
}

func (r Request) with(name, value string) Request {
	attrs := make([]pair, len(r.attrs), len(r.attrs)+1)
	copy(attrs, r.attrs)
	r.attrs = append(attrs, pair{name, value})
	return r
}
