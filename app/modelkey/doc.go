// Package modelkey gives each customer's server a key of its own at the model provider, where the operator lets the hub make such
// keys, and compares what the provider counted for each key with what the hub bills, hour by hour and to the token.
//
// Change here: when a key is made and ended, what counts as a difference. Not here: how a provider is asked (app/provider/openaiorg),
// how keys come onto machines (app/provider/vpshost/setup), what servers report (app/usage).
// May import: agentd/wire, app/server. Used by: app/provider/openaiorg, cmd/hub, db.
// Proof: go test ./app/modelkey ./app/provider/openaiorg
package modelkey
