// Package chart draws what a server measured, and sums as bars, as pictures without a script, and as a table beside them. Lines
// differ by their dashes and bars by their patterns, times without heartbeats are hatched, and nothing moves.
//
// Change here: how charts look and what they say. Not here: what is measured (app/server), their colors (static/css).
// May import: static, views/i18n, views/ui. Used by: app/web/graph, app/web/portal/server, views/admin,
// views/portal/server, views/portal/usage. Proof: go test ./views/chart
package chart
