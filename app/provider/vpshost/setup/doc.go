// Package setup turns a bare Debian or Ubuntu machine into a customer's server: ten steps over SSH, each a script with a check of
// its own, and an eleventh that takes the hub's way in away. A step whose check is content is not done again, so that a set-up
// goes on where it was cut off, and a second one changes nothing.
//
// Change here: what is set up, and how the steps follow each other. Not here: how a machine is reached (app/provider/target),
// which machine it is (app/pool, app/provider/vpshost/pool).
// May import: agentd/redact, app/dns, app/pool, app/provider/target, app/provider/vpshost, app/tune. Used by:
// app/provider/vpshost/hetzner, app/provider/vpshost/netcup, app/provider/vpshost/pool,
// app/web/admin, cmd/hub, db.
// Proof: go test ./app/provider/vpshost/setup
package setup
