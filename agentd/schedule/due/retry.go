package due

import (
	"hash/fnv"
	"time"
)

// retries are how long after a failed run the next one is due.
var retries = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// Retry is how long after try number n has failed the next one is due; false when there is none.
func Retry(n int) (time.Duration, bool) {
	if n < 1 || n > len(retries) {
		return 0, false
	}
	return retries[n-1], true
}

// MaxSpread is how long after a full hour a run may begin.
const MaxSpread = 2 * time.Minute

// Spread is how long after a tick its run begins: nothing, except at full hours, when many schedules are due. It is always the
// same for a schedule.
func Spread(id string, tick time.Time) time.Duration {
	if tick.Minute() != 0 || tick.Second() != 0 {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return time.Duration(h.Sum32()%uint32(MaxSpread/time.Second)) * time.Second
}
