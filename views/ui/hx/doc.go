// Package hx is the one place that knows the attribute names of htmx 4: which request an element makes, where the
// answer goes, and how the server pushes parts of a page. Everything works without a script too; hx only makes it
// quicker. A test reads the vendored htmx and finds every name in it.
//
//	<form method="post" action={ p.Path } { hx.Post(p.Path).Target("closest .approval").Swap(hx.OuterMorph).Attrs()... }>
//
// Change here: attributes, swap styles, the page's htmx configuration. Not here: what is swapped (views/…), the script
// itself (static/vendor). Inline code is never emitted: no hx-on, no js: values, no trigger filters.
// May import: templ. Used by: views, app/web. Proof: go test ./views/ui/hx
package hx
