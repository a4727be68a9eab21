package discord

import "time"

func init() { // silence is noticed while a test waits
	askWithin, againAfter, anewAfter = 2*time.Second, 20*time.Millisecond, 50*time.Millisecond
}
