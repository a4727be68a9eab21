package wire

// SubState is where a sub-agent stands.
type SubState string

// The states of a sub-agent.
const (
	SubSpawned   SubState = "spawned"   // it waits for its turn
	SubRunning   SubState = "running"   // also while it waits for a person
	SubCompleted SubState = "completed" // its result is there
	SubFailed    SubState = "failed"
	SubTimedOut  SubState = "timed_out"
	SubStopped   SubState = "stopped" // by a person, or by the agent that began it
)

// Open says whether a sub-agent in this state will still do something.
func (s SubState) Open() bool { return s == SubSpawned || s == SubRunning }

// SubOf says of a run that it is a sub-agent, and whose.
type SubOf struct {
	State  SubState `json:"state"`
	Run    string   `json:"run"`            // the run that began it
	Root   string   `json:"root"`           // the root run above that
	Told   string   `json:"told,omitempty"` // the root run that was told of its end; empty: none
	CallID string   `json:"call_id"`        // the call that began it
}
