package server

import "time"

// StateAt is stateAt with the usual numbers of missed heartbeats.
func StateAt(beat, now time.Time) State { return usualMissed.stateAt(beat, now) }
