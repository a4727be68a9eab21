package telegram

import "time"

func init() { // silence is noticed while a test waits
	sendWithin, pollFor, pollGrace, watchEvery = 2*time.Second, 2*time.Second, 2*time.Second, 200*time.Millisecond
}
