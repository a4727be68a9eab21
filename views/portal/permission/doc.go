// Package permission holds the pages of what the team may do: the rules with their preview, the guardian, limits and
// windows, who counts as inside the business, and the content that was flagged.
//
// Change here: what these pages show. Not here: what rules mean (agentd/policy), words (views/i18n/en/permission.json).
// May import: views/portal, views/…. Used by: app/web/portal. Proof: go test ./views/portal/permission ./app/web/portal/...
package permission
