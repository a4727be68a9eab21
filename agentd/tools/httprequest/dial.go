package httprequest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"gatehouse/agentd/tools/registry"
)

// systemResolver asks the machine's own resolver.
func systemResolver(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// dialer connects to one registered origin, and only to addresses that fit it.
type dialer struct {
	resolve func(ctx context.Context, host string) ([]netip.Addr, error)
}

// errAddress says that a name leads where requests never go.
var errAddress = errors.New("the name leads to an address that requests may not reach")

// never are networks that no business tool lies in, whatever the registry says: this host by any name, the cloud's
// metadata, multicast, and forms in which one address hides in another.
var never = prefixes("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
	"::/128", "fe80::/10", "ff00::/8", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16", "fd00:ec2::/32", "100::/64", "2001:db8::/32")

// private are networks of one's own, reached by a literal address or by a tool that says so.
var private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")

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

// connect opens a connection to the origin of t.
func (d dialer) connect(ctx context.Context, t registry.Tool, o registry.Origin) (net.Conn, error) {
	addrs, err := d.addresses(ctx, t, o.Host)
	if err != nil {
		return nil, err
	}
	dial := net.Dialer{Timeout: 10 * time.Second}
	var errs []error
	for _, a := range addrs {
		c, err := dial.DialContext(ctx, "tcp", net.JoinHostPort(a.String(), strconv.Itoa(o.Port)))
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// addresses resolves a host once and keeps to what it got, so that a name cannot change between look and leap. One
// address that does not fit spoils the name.
func (d dialer) addresses(ctx context.Context, t registry.Tool, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return literal(a)
	}
	if host == "localhost" {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	found, err := d.resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	out := make([]netip.Addr, 0, len(found))
	for _, a := range found {
		a = a.Unmap().WithZone("")
		if a.IsLoopback() || in(a, never) || in(a, private) && !t.Private {
			return nil, errAddress
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("resolve %s: no address", host)
	}
	return out, nil
}

// literal is an address that the registry itself names: its own word is enough, save for what is never reached.
func literal(a netip.Addr) ([]netip.Addr, error) {
	a = a.Unmap()
	if a.Zone() != "" || in(a, never) {
		return nil, errAddress
	}
	return []netip.Addr{a}, nil
}
