// Package portal puts the customer's pages together: it makes each section, gives all of them one frame, and one stream
// that keeps open pages up to date. What a page shows is read from the customer's own server; when that is away, the page
// says so.
//
// Change here: which sections there are. Not here: the pages (the packages below), their markup (views/portal).
// May import: app/…, app/web/portal/…. Used by: cmd/hub. Proof: go test ./app/web/portal/...
package portal
