package e2e

import "os"

// Rounds is how often a test tries what comes out differently from time to time: a few times, many with GATEHOUSE_SOAK.
func Rounds(few, many int) int {
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		return many
	}
	return few
}
