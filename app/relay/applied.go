package relay

import "gatehouse/app/fault"

// Reasons for which a connection of a server must end.
var (
	// ErrFenced says that a newer connection of the same server has opened.
	ErrFenced = fault.New(fault.Conflict, "link-replaced", "a newer connection of the server has opened", "Another connection of this server took over.")
	// ErrGap says that a frame is missing before the one that came.
	ErrGap = fault.New(fault.Conflict, "link-gap", "a frame of the server is missing", "A message of the server is missing.")
)

// Applied says what became of a reliable frame.
type Applied struct {
	Seq     int64 // number that may be acknowledged
	Fresh   bool  // false: it was applied before
	Refused error // why it was taken without effect: it can never be applied
}
