package wire

import "time"

// MethodChangeGet asks for one write of a file, and what taking it back would do now: ChangeParams → Change.
const MethodChangeGet Method = "change.get"

// KeptFor is how long what a write has replaced is kept, so that it can be put back.
const KeptFor = 30 * 24 * time.Hour

// ChangeParams names the call that wrote.
type ChangeParams struct {
	CallID string `json:"call_id"`
}

// ChangeState says whether a write can be taken back.
type ChangeState string

// What can stand in the way of taking a write back.
const (
	ChangeKept  ChangeState = "kept"  // nothing
	ChangeLater ChangeState = "later" // the file was changed since, and that would be undone too: only who says so may
	ChangeSame  ChangeState = "same"  // the file is as it was before already
	ChangeNew   ChangeState = "new"   // there was no file before
	ChangeGone  ChangeState = "gone"  // what was there is not kept any more, or was spoiled
)

// Change is a write of a file.
type Change struct {
	CallID string      `json:"call_id"`
	RunID  string      `json:"run_id"` // its root run
	Agent  string      `json:"agent"`
	Path   string      `json:"path"`
	State  ChangeState `json:"state"`
	Time   time.Time   `json:"time"`           // when it was made; zero when it is gone
	Until  time.Time   `json:"until"`          // so long it can be taken back at most; zero when it is gone
	Now    string      `json:"now"`            // hash of what is there now
	Diff   *Diff       `json:"diff,omitempty"` // what putting back would change; only where something can be
}
