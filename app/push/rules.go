package push

import (
	"time"

	"gatehouse/app/tune"
)

// Rules are what our staff may change about notifications while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Devices tune.Value[int]           // of one person
	Pause   tune.Value[time.Duration] // between two messages that make a sound
	Kept    tune.Value[time.Duration] // that a push service holds a message for a device that is off
}
