package slack

import "time"

func init() { // silence is noticed while a test waits
	askWithin, againAfter, pingEvery, pingWithin = 2*time.Second, 20*time.Millisecond, 300*time.Millisecond, 500*time.Millisecond
}
