// Package static holds what browsers load beside pages: one style sheet, one script, one sprite of symbols, the icon.
// They are compiled in, served below /assets/ under names that carry a hash of their content, compressed once when the
// program starts, and may be kept by browsers for ever.
//
// The script is joined from htmx, its stream extension (vendor/, with licence and hashes) and app.js, so that one
// file defines the order.
//
// Change here: look (app.css), behaviour (app.js), symbols (sprite.svg), how they are served. Not here: markup (views).
// May import: the standard library, andybalholm/brotli. Used by: views/layout, views/ui, cmd/hub.
// Proof: go test ./static
package static
