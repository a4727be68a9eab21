// Package netcuptest is a stand-in for netcup's Server Control Panel: its sign-in for devices and the part of its REST API that the
// hub uses, with its errors and its limits.
//
// Access ends, lasting tokens are good for one use as at a Keycloak that renews them, a machine with a task under way takes no other,
// and a task ends when it was looked at twice.
//
// Change here: what netcup answers. Not here: what the hub makes of it (app/provider/vpshost/netcup).
// May import: golang.org/x/crypto/ssh. Used by: nobody. Proof: go test ./app/provider/vpshost/netcup
package netcuptest
