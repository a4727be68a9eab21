// Package firsttask says the first tasks of a customer in the reader's language, for the pages that show them.
//
// Change here: how tasks become props. Not here: which there are and their words (app/welcome), how they look (views/welcome).
// May import: app/welcome, views/welcome, views/i18n. Used by: app/web/admin, app/web/portal/home,
// app/web/portal/team, app/web/public.
// Proof: go test ./app/web/portal/home ./app/web/portal/team ./app/web/public
package firsttask
