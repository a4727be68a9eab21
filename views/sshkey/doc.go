// Package sshkey is the owner's own SSH key on pages: the field that asks for it, and the panel of the server's page.
//
// Change here: how the key is asked for and shown. Not here: which keys are taken (app/order).
// May import: views/i18n, views/ui. Used by: app/web/portal, views/portal, views/public. Proof: go test ./app/web/portal/server
package sshkey
