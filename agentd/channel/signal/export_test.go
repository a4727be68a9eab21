package signal

import "time"

func init() { // silence is noticed while a test waits
	askWithin, sendWithin, fileWithin, againAfter = 2*time.Second, 2*time.Second, 2*time.Second, 20*time.Millisecond
	silentAfter, lookEvery = 1500*time.Millisecond, 200*time.Millisecond
}
