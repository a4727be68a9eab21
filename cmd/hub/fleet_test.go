package main

import (
	"maps"
	"slices"
	"testing"
)

// TestProviders: our staff choose from exactly the places that there are.
func TestProviders(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "hcloud-token-of-the-test"} {
		h := &hub{parts: &parts{}, cfg: config{HetznerToken: token, HetznerKinds: "eu=cx23@nbg1"}}
		if got, want := slices.Sorted(slices.Values(h.cfg.providers())), slices.Sorted(maps.Keys(h.hosts())); !slices.Equal(got, want) {
			t.Errorf("offered %v, there are %v", got, want)
		}
	}
}
