// Package permission is what people do with the rules of their team: read them, see what others would have changed, put
// them in force, look at limits, open windows and the guardian. The rules live on the server and are judged there; the
// hub keeps none.
//
// Change here: what may be asked of a server about its rules. Not here: what rules mean (agentd/policy), where they are
// kept (agentd/config), pages (app/web/portal/permission).
// May import: app/account, app/server, agentd/wire. Used by: app/web/portal, cmd/hub.
// Proof: go test ./app/web/portal/... ./cmd/hub/e2e/...
package permission
