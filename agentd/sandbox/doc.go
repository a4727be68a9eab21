// Package sandbox runs programs of the team confined: a fresh process of this same binary takes away from itself what
// a tool must not have (other files, network, rights, other processes) and only then runs the program.
//
// Change here: how processes are confined and how that is proven at start. Not here: what may be run (agentd/policy),
// what runs inside (agentd/tools/shell/inside).
// May import: the standard library, golang.org/x/sys, go-landlock. Used by: agentd, agentd/doctor, agentd/tools/shell,
// cmd/agentd. If you change what is confined, also change: SECURITY.md, agentd/doctor. Proof: go test ./agentd/sandbox
package sandbox
