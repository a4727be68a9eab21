// Package markdown turns what agents write into HTML that is safe to put on a page, piece by piece while it streams.
//
// Change here: which Markdown is understood, what a block is, what survives sanitising. Not here: how bubbles look
// (views/portal), when pieces are sent (app/web/portal/live).
// May import: goldmark, bluemonday, the standard library. Used by: app/web/help, app/web/portal/file, app/web/portal/team,
// app/web/portal/turn.
// Proof: go test ./app/web/markdown; fuzz: go test -fuzz=Fuzz ./app/web/markdown
package markdown
