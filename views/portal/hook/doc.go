// Package hook has the views of hooks and of rules on events: the list, one with what came to it or what it has begun, and the forms.
//
// Change here: markup and words of these pages. Not here: what they read and do (app/web/portal/hook), how a secret is made
// (static/js/hook.js).
// May import: static, views/i18n, views/layout, views/portal, views/ui. Used by: app/web/portal/hook.
// Proof: go test ./app/web/portal/hook
package hook
