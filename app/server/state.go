package server

import "time"

// State is how a server is.
type State string

// The states of a server.
const (
	New      State = "new"      // never heard of
	Online   State = "online"   // its heartbeats come
	Degraded State = "degraded" // two heartbeats missed
	Offline  State = "offline"  // five heartbeats missed
	Revoked  State = "revoked"  // cut off by staff
)

// States lists them, as a person wants to see them: what needs a look first.
func States() []State { return []State{Offline, Degraded, Online, New, Revoked} }

// BeatEvery is how often a server sends a heartbeat.
const BeatEvery = 30 * time.Second

// grace is how late a heartbeat may be before it counts as missed.
const grace = 5 * time.Second

// missed is how many heartbeats have to be missed for a state.
type missed struct{ degraded, offline int }

var usualMissed = missed{2, 5}

// after is how long a server has to be quiet for so many heartbeats to be missed.
func after(beats int) time.Duration { return time.Duration(beats)*BeatEvery + grace }

// stateAt is the state that follows at now from when the last heartbeat came; a zero time means that none ever came.
func (m missed) stateAt(beat, now time.Time) State {
	switch quiet := now.Sub(beat); {
	case beat.IsZero():
		return New
	case quiet > after(m.offline):
		return Offline
	case quiet > after(m.degraded):
		return Degraded
	}
	return Online
}
