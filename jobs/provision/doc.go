// Package provision does the work of each state of an order on a place where servers run: get a machine, name it, start
// agentd on it, wait until it has come; and give it back when it is not wanted any more.
//
// Change here: what a step does. Not here: which step follows (app/order), one kind of place
// (app/provider/vpshost/local), how a step is tried again (jobs).
// May import: agentd/redact, agentd/wire, app/account, app/audit, app/dns, app/fault, app/order, app/server, app/provider/vpshost,
// app/tune.
// Used by: cmd/bench, cmd/hub, jobs.
// Proof: go test ./jobs/provision
package provision
