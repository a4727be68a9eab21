// Package wipe erases a machine that was a customer's server, as the hub's signed command says: what runs there is stopped, the
// customer's data, agentd's own state and secrets and all containers go, and only then is the hub let in again, which looks at the
// machine before anybody else gets it. agentd has no right to do any of that. It leaves the command in a file; systemd sees the file
// and starts the helper, which is root, reads nothing else from agentd, checks the command by a key that only root can change, and
// knows this one thing to do.
//
// Change here: what is erased, and in which order. If a part of agentd keeps something in a new place on the machine, add the place
// here. Not here: how commands are signed (agentd/wire), when one is sent (app/provider/vpshost/pool).
// May import: agentd/wire. Used by: agentd, cmd/agentd. If you change a path, also change: agentd/units, and the look at a wiped
// machine (app/provider/vpshost/setup).
// Proof: go test ./agentd/wipe, go test ./cmd/hub/e2e/fleet
package wipe
