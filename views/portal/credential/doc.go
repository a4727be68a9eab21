// Package credential holds the pages of secrets, which show everything but their values, and the form that a waiting
// call is answered with.
//
// Change here: what these pages show. Not here: how a value is sealed (static/js), what stands in the props
// (app/web/portal). If you change a data attribute, also change: static/js.
// May import: views/portal, views/…. Used by: app/web/portal, app/web/portal/turn. Proof: go test ./app/web/portal/...
package credential
