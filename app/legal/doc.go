// Package legal reads the texts that the law asks the operator of a hub for: terms, privacy notice and imprint, as Markdown
// files in a folder of theirs, each in one or more languages.
//
// Change here: which pages there are, what their files are called, how large they may be. Not here: how they look (views/public).
// May import: app/document, the standard library. Used by: app/web/public, cmd/hub. Proof: go test ./app/legal
package legal
