// Package channel has the views of messaging channels: how each stands, who may write, and the form of a mailbox.
//
// Change here: markup and words of these pages. Not here: what they read and do (app/web/portal/channel), how a password is sealed
// (static/js/channel.js).
// May import: static, views/i18n, views/layout, views/portal, views/ui. Used by: app/web/portal/channel,
// app/web/portal/chat, views/portal/home.
// Proof: go test ./app/web/portal/channel
package channel
