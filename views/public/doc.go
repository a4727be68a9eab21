// Package public is the look of every page that needs no sign-in, the sign-in pages, the order's progress, and the
// error page.
//
// Change here: what those pages show. Not here: what they answer to (app/web/public), words (views/i18n/en.json),
// components and style (views/ui, static).
// May import: views/… only. Used by: app/web, app/web/public. Proof: go test ./app/web/public
package public
