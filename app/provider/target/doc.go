// Package target reaches a customer's machine over SSH: it runs scripts there and uploads files.
//
// Change here: how a machine is reached and what its answers mean. Not here: what is run there (app/provider/vpshost/setup).
// May import: golang.org/x/crypto/ssh, github.com/pkg/sftp. Used by: app/provider/vpshost/hetzner,
// app/provider/vpshost/netcup, app/provider/vpshost/setup, app/provider/vpshost/pool, cmd/hub.
// Proof: go test ./app/provider/target
package target
