// Package story tests what the product is bought for: ordering a server, chatting, approving, starting `hub dev`
// again, confirming an address, an example of the documents, and what staff look up.
//
// Change here: the stories of people.
// Not here: faults (cmd/hub/e2e/crash, cmd/hub/e2e/fault), single pages (cmd/hub/e2e/page), the rig (cmd/hub/e2e).
// May import: agentd/leakscan, agentd/seeded, agentd/tool, agentd/wire, cmd/hub/e2e, docs/allow,
// views/i18n. Used by: nobody. Proof: go test ./cmd/hub/e2e/story
package story
