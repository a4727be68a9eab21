// Package schedule has the views of schedules: the list, one with its history, the form, and a month.
//
// Change here: markup and words of these pages. Not here: what they read and do (app/web/portal/schedule).
// May import: views/i18n, views/layout, views/portal, views/ui. Used by: app/web/portal/schedule. Proof: go test ./app/web/portal
package schedule
