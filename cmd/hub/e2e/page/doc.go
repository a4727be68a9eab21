// Package page tests how pages look and work for everyone: accessibility, widths, themes, ways out, and all of it
// without scripts.
//
// Change here: the list of pages and what is checked on each.
// Not here: stories (cmd/hub/e2e/story), components (views/ui), the rig (cmd/hub/e2e).
// May import: agentd/seeded, agentd/wire, cmd/hub/e2e, views/i18n. Used by: nobody. Proof: go test ./cmd/hub/e2e/page
package page
