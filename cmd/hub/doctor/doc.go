// Package doctor says whether a hub has all that it needs, and how to mend what is missing.
//
// Change here: the report, and what is looked at on the machine itself. Not here: which parts of the hub are asked (cmd/hub).
// May import: the standard library, golang.org/x/sys. Used by: cmd/hub. Proof: go test ./cmd/hub/doctor ./cmd/hub -run Doctor
package doctor
