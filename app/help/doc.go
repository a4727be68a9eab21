// Package help holds the articles that answer an owner's questions, in every language of the pages, and finds them by their
// words.
//
// Change here: the articles (articles/LANGUAGE/NAME.md), their order, how the search ranks. An article that is new or gone
// changes in all languages at once. Not here: how articles look (views/help), who reads them (app/web/public,
// app/web/portal/help).
// May import: app/document, the standard library. Used by: app/web/help. Proof: go test ./app/help
package help
