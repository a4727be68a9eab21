// Package team holds the pages of the agents: all of them, one, how much it may do alone and what it may send outside,
// how one is made and how its files are written.
//
// Change here: what these pages show, what their forms sign. Not here: what a level allows (agentd/policy).
// May import: views/portal, views/…. Used by: app/web/portal. Proof: go test ./app/web/portal/...
package team
