// Package staff holds the rules about our own people: who they are, how they sign in with a password and a one-time
// code, and what their role is.
//
// Change here: roles and what each may do (permission.go), the rules of the second factor, which acts want a mailed
// code (confirm.go). Not here: their browser sign-ins (app/signin), SQL and the encryption of their secrets
// (db/staff.go, db/keyring.go).
// May import: app/account, app/audit, app/fault, app/picture, app/second, app/work.
// Used by: app/attention, app/billing, app/clientele, app/naming, app/approval, app/approver, app/job, app/machine, app/order, app/passkey,
// app/payment, app/pool, app/providers,
// app/regain, app/server, app/setting, app/support, app/web, cmd/bench, cmd/hub, db, db/dbtest.
// Proof: go test ./app/staff ./db ./cmd/hub
package staff
