// Package targettest boots a whole Debian machine for tests: its own systemd, SSH server and network, in a container of
// systemd-nspawn. Root and the packages debootstrap and systemd-container are needed; a test that asks for a machine without
// them is skipped with the reason.
//
// Change here: what a bare machine looks like. Not here: what is set up on it (app/provider/vpshost/setup).
// May import: the standard library, golang.org/x/crypto/ssh. Used by: nobody.
// Proof: go test ./app/provider/target
package targettest
