package pool

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"gatehouse/app/provider/vpshost"
)

var _ vpshost.Addressed = (*Host)(nil)

// Addresses lists where the server's machine is reached: its address in the pool, or where that name leads.
func (h *Host) Addresses(ctx context.Context, serverID string) ([]netip.Addr, error) {
	m, err := h.Machines.OfServer(ctx, serverID)
	if err != nil {
		return nil, err
	}
	if a, err := netip.ParseAddr(m.Address); err == nil {
		return []netip.Addr{a}, nil
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", m.Address)
	if err != nil {
		return nil, fmt.Errorf("address of machine %s: %w", m.ID, err)
	}
	for i, a := range all {
		all[i] = a.Unmap()
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all), nil
}
