package hetzner

import (
	"time"

	"gatehouse/app/tune"
)

// Rules are what our staff may change about renting machines while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Token  tune.Value[string]
	Wanted tune.Value[Wanted]
	Boot   tune.Value[time.Duration]
}
