// Package machine holds what our staff do with the machine of a server at its provider: power, rescue system, new system, snapshots.
//
// Somebody asks for an act; a worker has the provider do it, and keeps how it ended. Before the provider is asked for anything, the
// hub keeps where the provider's own record of the machine stood. A worker that is killed in between, and an answer that came too
// late, leave something begun: the next try finds it in that record, or by its name, and does not begin it again.
//
// Pages show what was seen of a machine last, and never wait for a provider. What a provider can do, it shows by implementing the
// interfaces in place.go; what it cannot is offered nowhere.
//
// Change here: what is done with machines, who may, who is told. Not here: one provider (app/provider/vpshost), what agentd does on
// a server (app/server/command.go), SQL (db/machine_acts.go).
// May import: agentd/wire, app/account, app/audit, app/fault, app/server, app/staff. Used by: nobody.
// Proof: go test ./app/machine ./db ./jobs
package machine
