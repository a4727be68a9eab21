// Package hetznertest stands in for the API of Hetzner Cloud in tests: servers, SSH keys, images and actions of one project, with the
// checks, errors and limits that are published for them. It can answer badly, and too late.
//
// Change here: what the API says. Not here: what the provider does with it (app/provider/vpshost/hetzner).
// May import: the standard library, github.com/hetznercloud/hcloud-go/v2. Used by: nobody.
// Proof: go test ./app/provider/vpshost/hetzner
package hetznertest
