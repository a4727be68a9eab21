package telegram

import "time"

func init() { // silence is noticed while a test waits
	sendWithin, fileWithin, pollFor, pollGrace = 2*time.Second, 2*time.Second, 2*time.Second, 2*time.Second
	watchEvery = 200 * time.Millisecond
}
