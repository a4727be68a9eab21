package main

import (
	"testing"

	"gatehouse/app/provider/vpshost/vpshosttest"
)

// TestDryHost: the place of the figure keeps to what every place promises.
func TestDryHost(t *testing.T) {
	t.Parallel()
	h := &dryHost{made: map[string]int{}, linked: map[string]bool{}}
	vpshosttest.Contract(t, h, func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.made)
	})
}
