package server

import (
	"time"

	"gatehouse/app/tune"
)

// Rules are what our staff may change about servers while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Degraded tune.Value[int]           // heartbeats that are missed until a server is degraded
	Offline  tune.Value[int]           // and until it is offline
	KeyLife  tune.Value[time.Duration] // how old the key of a link becomes
}

// missed is how many heartbeats have to be missed now.
func (s *Service) missed() missed {
	return missed{s.Rules.Degraded.Or(usualMissed.degraded), s.Rules.Offline.Or(usualMissed.offline)}
}
