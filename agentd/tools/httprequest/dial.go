package httprequest

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"time"

	"gatehouse/agentd/netguard"
	"gatehouse/agentd/tools/registry"
)

// dialer connects to one registered origin, and only to addresses that fit it.
type dialer struct{ resolve netguard.Resolver }

// errAddress says that a name leads where requests never go.
var errAddress = netguard.ErrAddress

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

// addresses resolves a host once and keeps to what it got.
func (d dialer) addresses(ctx context.Context, t registry.Tool, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return literal(a)
	}
	if host == "localhost" {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	return d.resolve.Resolve(ctx, host, t.Private)
}

// literal is an address that the registry itself names: its own word is enough, except for what is never reached.
func literal(a netip.Addr) ([]netip.Addr, error) {
	a = a.Unmap()
	if netguard.Never(a) {
		return nil, errAddress
	}
	return []netip.Addr{a}, nil
}
