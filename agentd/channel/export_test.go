package channel

import "time"

func init() { // silence is noticed while a test waits
	fetchWithin = time.Second
}
