// Package browsertest starts Chromium for tests, and lends its tabs to one test after the other.
//
// Change here: where a browser is looked for, its flags, how a tab is emptied. Not here: what tests do with pages.
// May import: chromedp, the standard library. Used by: tests only. Proof: go test ./views/browsertest
package browsertest
