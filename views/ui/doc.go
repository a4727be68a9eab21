// Package ui holds the components that pages are built from. A component takes plain values, already formatted for
// reading where that needs knowledge of the domain, and renders the same markup whether it stands in a page or is
// swapped into one. Everything works without a script: verbs are forms, panels are details, sorting is a link.
//
// What a whole page shares travels in the context: see Request. Sizes, times and money are written by format.go.
// Plain elements are styled too: button.btn (primary, quiet, danger), .row, .stack, .muted, .num; the gallery test
// shows all of it.
//
// Traps: braces on the same line as a component are its children, so text goes on the next line. What the server
// pushes must not carry autofocus: leave Focus false there.
//
// Change here: how one thing looks on every page. Not here: pages (views/portal …), frames of pages (views/layout),
// colours and sizes (static/app.css), words (views/i18n).
// May import: views/i18n, views/ui/hx, static, templ. Used by: views, app/web, cmd/hub. Proof: go test ./views/ui
package ui
