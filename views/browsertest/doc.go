// Package browsertest starts Chromium for tests: which program, and with which flags.
//
// Change here: where a browser is looked for, its flags. Not here: what tests do with pages.
// May import: chromedp, the standard library. Used by: tests only. Proof: go test ./views/ui ./app/web/public
package browsertest
