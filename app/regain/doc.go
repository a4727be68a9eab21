// Package regain is the way back for an owner who lost everything: devices, passkeys, recovery code and mailbox. One of our staff
// opens a case and says how they made sure who asks; a second one confirms it. Then three days pass, in which every known
// address of the business is mailed a link that stops the case, and anyone who is signed in can stop it. After that the owner has a
// new address, no password and no second step, and is mailed a link to choose a password.
//
// It gives nobody a key that approves: a server takes one only with a code from its own console or the recovery code.
//
// Change here: who may open, confirm and stop a case, and when it ends. Not here: pages (app/web/admin, app/web/public), SQL
// (db/regain.go), keys of servers (agentd/approver).
// May import: app/account, app/audit, app/fault, app/staff, app/work. Used by: app/web/admin, app/web/portal, app/web/portal/home,
// app/web/public, cmd/hub, db. Proof: go test ./db -run Regain
package regain
