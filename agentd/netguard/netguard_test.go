package netguard_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"gatehouse/agentd/netguard"
)

// TestPublic: what lies in the internet, and what does not.
func TestPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "::ffff:93.184.216.34": true,
		"127.0.0.1": false, "127.9.9.9": false, "::1": false, "::ffff:127.0.0.1": false, "10.0.0.1": false, "172.31.0.1": false,
		"192.168.1.1": false, "100.64.0.1": false, "169.254.169.254": false, "fd00:ec2::254": false, "fc00::1": false,
		"fec0::1": false, "feff::1": false, "::7f00:1": false, "::a9fe:a9fe": false, "::5db8:d822": false,
		"fe80::1": false, "fe80::1%lo": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "0.0.0.0": false, "224.0.0.1": false,
	} {
		if got := netguard.Public(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	if netguard.Public(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

// TestNever: what no request reaches, though the owner names it. This machine by its own name is not among it: who may go there asks apart.
func TestNever(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"fec0::1": true, "feff:ffff::1": true, "::": true, "::7f00:1": true, "::10.0.0.7": true, "169.254.169.254": true,
		"::1": false, "127.0.0.1": false, "::ffff:127.0.0.1": false, "10.0.0.7": false, "fd12::1": false, "::1:0:0:1": false,
	} {
		if got := netguard.Never(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// TestResolve: one address that does not fit spoils a name, and no name leads to this machine, whatever is said of its network.
func TestResolve(t *testing.T) {
	t.Parallel()
	for leads, want := range map[string]struct{ outside, own bool }{
		"93.184.216.34":             {true, true},
		"93.184.216.34 2606:2800::": {true, true},
		"10.0.0.7":                  {false, true},
		"93.184.216.34 127.0.0.1":   {false, false},
		"127.0.0.1":                 {false, false},
		"169.254.169.254":           {false, false},
		"":                          {false, false},
	} {
		r := netguard.Resolver(func(context.Context, string) (all []netip.Addr, _ error) {
			for _, a := range strings.Fields(leads) {
				all = append(all, netip.MustParseAddr(a))
			}
			return all, nil
		})
		for own, want := range map[bool]bool{false: want.outside, true: want.own} {
			if _, err := r.Resolve(t.Context(), "name.example", own); (err == nil) != want {
				t.Errorf("%q, own network %v: %v", leads, own, err)
			}
		}
	}
	broken := errors.New("no resolver")
	r := netguard.Resolver(func(context.Context, string) ([]netip.Addr, error) { return nil, broken })
	if _, err := r.Resolve(t.Context(), "name.example", false); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
