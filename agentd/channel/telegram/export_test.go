package telegram

import "time"

func init() { sendWithin, pollFor, pollGrace = 2*time.Second, 2*time.Second, 2*time.Second } // silence is noticed while a test waits
