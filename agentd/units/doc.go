// Package units holds the systemd units that are shipped: agentd, the model proxy and the filter before the
// container engine as three services of three users, each with what it needs and no more, and the firewall rules that hold for these users;
// beside them, by a timer, the certificate of the server's name, and by a command of the hub the wipe of the machine.
//
// Change here: what the services may do. Not here: what agentd does without systemd (nothing needs it; see
// agentd/doctor).
// May import: the standard library. Used by: cmd/agentd. If you change a path or a user, also change: README.md. If you
// change what the rules keep apart, or the address by which they are known, also change: agentd/doctor, SECURITY.md.
// Proof: go test ./agentd/units
package units
