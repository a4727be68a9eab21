package hx

import "github.com/a-h/templ"

// Stream connects an element to a live stream at path. Messages without a name hold Partials and are swapped in;
// named ones are DOM events on the element. The connection comes back by itself with Last-Event-ID, and pauses while
// the tab is hidden.
func Stream(path string) templ.OrderedAttributes {
	return templ.OrderedAttributes{{Key: "hx-sse:connect", Value: path}, {Key: "hx-swap", Value: string(None)}}
}

// Ignore keeps htmx away from an element and all below it, as for text that somebody else wrote.
func Ignore() templ.OrderedAttributes {
	return templ.OrderedAttributes{{Key: "hx-ignore", Value: true}}
}
