// Package static holds what browsers load beside pages: one style sheet, one script, one sprite of symbols, the icon.
// They are compiled in, served below /assets/ under names that carry a hash of their content, compressed once when the
// program starts, and may be kept by browsers for ever.
//
// The style sheet is joined from css/, one file for each part; the script from htmx, its stream extension (vendor/, with
// licence and hashes) and js/, in the order that join.go states.
//
// Change here: look (css), behaviour (js), symbols (sprite.svg), how they are served. Not here: markup (views).
// May import: the standard library, andybalholm/brotli. Used by: views/layout, views/ui, cmd/hub.
// Proof: go test ./static
package static
