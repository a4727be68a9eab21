package webpush

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"
)

// errClosed says that a name leads to an address that no push service has.
var errClosed = errors.New("the push service's name leads to an address that messages may not reach")

// closed are the networks that no push service lies in: this machine and its neighbors, the metadata of clouds, and forms
// in which one address hides in another. A browser names the service, so whoever uses one could name these.
var closed = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
	"fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func prefixes(all ...string) []netip.Prefix {
	out := make([]netip.Prefix, 0, len(all))
	for _, s := range all {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// isClosed reports whether messages may not go to an address.
func isClosed(a netip.Addr, local bool) bool {
	a = a.Unmap().WithZone("")
	if local && a.IsLoopback() {
		return false
	}
	return !a.IsGlobalUnicast() || slices.ContainsFunc(closed, func(p netip.Prefix) bool { return p.Contains(a) })
}

// guarded looks at an address right before it is connected to, after its name was resolved: a name cannot lead elsewhere
// between look and leap.
func guarded(local bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || isClosed(to.Addr(), local) {
			return errClosed
		}
		return nil
	}
}
