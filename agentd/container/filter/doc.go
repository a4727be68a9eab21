// Package filter stands between agentd and the container engine of the machine. Whoever may use the engine's socket is as good as
// root; the filter may, and lets through six questions of agentd alone: what runs, how one container is, what it wrote, and to
// start, stop and restart it.
//
// Change here: what agentd may ask of the engine. Not here: what agentd asks (agentd/container), who may have it ask
// (agentd/command, agentd/support).
// May import: the standard library. Used by: cmd/agentd. If you change what it lets through, also change: SECURITY.md.
// Proof: go test ./agentd/container/filter
package filter
