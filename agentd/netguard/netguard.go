package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// ErrAddress says that a name leads where requests never go.
var ErrAddress = errors.New("the name leads to an address that requests may not reach")

// never are networks that nobody outside lies in, whatever the owner says: this host by any name, the cloud's metadata, multicast,
// and forms in which one address hides in another.
var never = prefixes("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "fe80::/10", "fec0::/10", "ff00::/8", "64:ff9b::/96", "64:ff9b:1::/48",
	"2001::/32", "2002::/16", "fd00:ec2::/32", "100::/64", "2001:db8::/32")

// private are networks of one's own.
var private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
	"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")

func prefixes(all ...string) []netip.Prefix {
	out := make([]netip.Prefix, 0, len(all))
	for _, s := range all {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

func in(a netip.Addr, all []netip.Prefix) bool {
	for _, p := range all {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Never says whether an address is one that no request reaches, even where the owner names it. ::1, which lies in ::/96, is this machine
// by its plain name: whether anything may go there, callers decide.
func Never(a netip.Addr) bool { return a.Zone() != "" || !a.IsLoopback() && in(a.Unmap(), never) }

// Public says whether an address is out in the internet.
func Public(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsValid() && !a.IsLoopback() && !Never(a) && !in(a, private)
}

// Fits says whether a name may lead to an address: a public one, or one of a private network that the owner has named. No name leads
// to this machine.
func Fits(a netip.Addr, ownNetwork bool) bool {
	return Public(a) || ownNetwork && in(a.Unmap(), private) && !Never(a)
}

// Resolver gives the addresses of a name.
type Resolver func(ctx context.Context, host string) ([]netip.Addr, error)

// System asks the machine's own resolver.
func System(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// Resolve gives the addresses of a name, if all of them fit: one that does not spoils the name. A caller that connects to what it got,
// and does not ask again, cannot be led elsewhere between look and leap.
func (r Resolver) Resolve(ctx context.Context, host string, ownNetwork bool) ([]netip.Addr, error) {
	found, err := r(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	out := make([]netip.Addr, 0, len(found))
	for _, a := range found {
		a = a.Unmap().WithZone("")
		if !Fits(a, ownNetwork) {
			return nil, ErrAddress
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("resolve %s: no address", host)
	}
	return out, nil
}
