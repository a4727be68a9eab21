// Package credential answers the pages of secrets. It shows and changes everything but their values, which pass it in
// sealed boxes.
//
// Change here: what these pages read, how a form says where a secret may be used. Not here: what people may do with
// secrets (app/credential), boxes (agentd/wire), markup (views/portal/credential).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/credential
package credential
