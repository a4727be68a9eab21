// Package passkey holds the rules of passkeys for signing in: how one is added, what its answer must show, and that each
// challenge is answered once.
//
// A passkey for signing in is never one for approving. Those belong to a customer's server (agentd/approver), which has no
// notion of these; here nothing is known of those. A passkey replaces password and second step, for the authenticator
// itself has checked who is there.
//
// Change here: which answers count, how long a challenge holds. Not here: pages (app/web), the browser's part
// (static/js/passkey.js), SQL (db/passkeys.go).
// May import: app/account, app/audit, app/fault, app/staff, app/tune, app/work, go-webauthn. Used by: app/passkey/passkeytest,
// app/web/admin, app/web/portal, app/web/portal/account, app/web/public, cmd/hub, db. Proof: go test ./app/passkey ./db
package passkey
