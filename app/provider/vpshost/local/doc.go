// Package local runs customers' servers as agentd processes on this machine: for development and the demo.
//
// Each server has a folder with its data root, agentd's state directory, agentd's log and a record of the process. A
// process outlives the hub that started it; the next hub finds it by its record, or by its name among all processes,
// and starts it again when it is gone. As root, each server has a user of its own that owns nothing else.
//
// Change here: folders, the environment of agentd, how it is watched. Not here: what agentd does with them (cmd/agentd),
// the order of steps (jobs/provision).
// May import: agentd/wire, app/machine, app/provider/vpshost, app/tune, golang.org/x/sys. Used by: cmd/hub.
// Proof: go test ./app/provider/vpshost/local
package local
