// Package permission answers the pages of what the team may do: the rules with their preview, the guardian, limits and
// windows, who counts as inside the business, and the content that was flagged.
//
// Change here: what these pages read and send. Not here: what rules mean (agentd/policy), markup (views/portal/permission).
// May import: agentd/policy, agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/permission
package permission
