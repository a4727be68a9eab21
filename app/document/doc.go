// Package document reads a long Markdown text as a page with a table of contents: its title, what stands before the first
// section, and the sections with names for addresses.
//
// Change here: what begins a section, how sections are named, how words are folded for comparing. Not here: how Markdown
// becomes HTML (app/web/markdown).
// May import: the standard library, golang.org/x/text. Used by: app/help, app/legal, app/web/help. Proof: go test ./app/document
package document
