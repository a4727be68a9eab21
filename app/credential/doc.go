// Package credential is what people do with the secrets of their server: give, generate, rotate, bind, reveal, share
// once, and see who used what. Values cross the hub in boxes that only the other end opens (wire.SecretBox); nothing
// here can read one.
//
// Change here: what may be asked of a vault and by whom, one-time links. Not here: the vault itself (agentd/vault), the
// boxes (agentd/wire), pages (app/web/portal/credential), SQL (db/secret_links.go).
// May import: app/account, app/audit, app/fault, app/server, agentd/wire. Used by: app/web/…, cmd/hub, db.
// Proof: go test ./app/web/portal/... ./app/web/public ./cmd/hub/e2e/...
package credential
