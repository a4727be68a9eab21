package hx

import "github.com/a-h/templ"

// Stream connects an element to a live stream at path. Messages without a name hold Partials and are swapped in;
// named ones are DOM events on the element. The connection comes back by itself with Last-Event-ID, and pauses while
// the tab is hidden.
func Stream(path string) templ.OrderedAttributes {
	return templ.OrderedAttributes{{Key: "hx-sse:connect", Value: path}, {Key: "hx-swap", Value: string(None)}}
}

// StreamUntil is Stream that is closed for good by the named event.
func StreamUntil(path, event string) templ.OrderedAttributes {
	return append(Stream(path), templ.KeyValue[string, any]{Key: "hx-sse:close", Value: event})
}

// Ignore keeps htmx away from an element and all below it, as for text that somebody else wrote.
func Ignore() templ.OrderedAttributes {
	return templ.OrderedAttributes{{Key: "hx-ignore", Value: true}}
}

// KeepOnMorph lets a morph leave the element as it is, as for a field that is being typed in.
func KeepOnMorph() templ.OrderedAttributes {
	return templ.OrderedAttributes{{Key: "hx-morph-skip", Value: true}}
}
