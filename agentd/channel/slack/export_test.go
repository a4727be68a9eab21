package slack

import "time"

func init() { // silence is noticed while a test waits
	askWithin, fileWithin, againAfter = 2*time.Second, 2*time.Second, 20*time.Millisecond
	pingEvery, pingWithin, lookEvery = 300*time.Millisecond, 500*time.Millisecond, 200*time.Millisecond
}
