package googlechat

import "time"

func init() { // silence is noticed while a test waits
	askWithin, againAfter, watchEvery = 2*time.Second, 20*time.Millisecond, 200*time.Millisecond
}
