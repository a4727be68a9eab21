// Package wire is the contract between a hub and the agentd on a customer's server: frames, message bodies,
// run events, and how bodies are sealed to a server's key.
//
// Change here: what travels over the link, and the protocol version. Not here: how frames are kept, sent or
// retried (agentd/link, app/relay).
// May import: agentd/policy/canonical. Used by: agentd, app, cmd/agentd, cmd/bench, cmd/hub, cmd/hub/rig, db, jobs.
// If you change a shape, also change: docs/ARCHITECTURE.md and the version history in version.go.
package wire
