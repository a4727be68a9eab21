package setup

import (
	"time"

	"gatehouse/app/tune"
)

// Rules are what our staff may change about setting machines up while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Step   tune.Value[time.Duration] // how long one step may take
	Memory tune.Value[int]           // MB that a machine of the pool has at least
	Disk   tune.Value[int]           // GB that are free on it at least

	Authority tune.Value[string] // ACME directory of who gives servers their certificates; empty: nobody
}
