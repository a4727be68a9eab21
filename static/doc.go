// Package static holds what browsers load beside pages: one style sheet, one script, one sprite of symbols, the icon.
// They are compiled in, served below /assets/ under names that carry a hash of their content, compressed once when the
// program starts, and may be kept by browsers for ever.
//
// Two files stay at one address, where browsers ask for them again: the service worker of the portal (js/worker.js), which
// shows notifications and keeps no content, and the manifest of the app that it can be installed as. The pictures in icon/ are
// favicon.svg as a browser draws it at that size, for phones that take no SVG; HASHES says from which favicon.svg. Those named
// maskable and apple fill the square, so that a phone can cut its own shape, and badge is the mark alone, of which phones take
// the outline.
//
// The style sheet is joined from css/, one file for each part; the script from htmx, its stream extension (vendor/, with
// licence and hashes) and js/, in the order that join.go states.
//
// Change here: look (css), behaviour (js), symbols (sprite.svg), how they are served. Not here: markup (views).
// May import: the standard library, andybalholm/brotli. Used by: app/web, views/admin, views/chart, views/layout,
// views/portal/account, views/portal/channel,
// views/portal/file, views/portal/hook, views/portal/memory, views/portal/schedule, views/portal/team, views/ui, cmd/bench, cmd/hub.
// Proof: go test ./static
package static
