package netcup

import (
	"time"

	"gatehouse/app/tune"
)

// Rules are what our staff may change about machines at netcup while the hub runs. The zero value has everything as it comes.
type Rules struct {
	Boot tune.Value[time.Duration]
}
