package credential

import "time"

// RequestProps is a call that waits for a value.
type RequestProps struct {
	ID, Agent, Name string
	Session         string // the conversation that it stands in; "": the page of credentials
	Generate        bool
	At              time.Time
}
