package server

import (
	"time"

	"gatehouse/views/sshkey"
)

// Rest is what stands below the state of the server.
type Rest struct {
	Seal   SealKeyProps
	Copies SnapshotsProps
	SSH    sshkey.Props
}

// Where the owner's word about snapshots goes.
const (
	AgreePath    = "/app/server/snapshots/agree"
	WithdrawPath = "/app/server/snapshots/withdraw"
)

// SnapshotsProps is how it stands with the snapshots of the server.
type SnapshotsProps struct {
	Shown  bool      // there is a server
	Can    bool      // its provider makes snapshots
	Owner  bool      // the reader may agree, and take that back
	Since  time.Time // when the owner agreed; zero: not at all
	Copies int
	Newest time.Time // zero: there is none
}
