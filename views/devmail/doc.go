// Package devmail holds the pages of the mail catcher, which exists in development only.
//
// Change here: how caught mail is shown. Not here: catching and keeping it (cmd/hub/devmail).
// May import: views/layout, views/ui, views/i18n. Used by: cmd/hub, cmd/hub/devmail. Proof: go test ./cmd/hub/devmail
package devmail
