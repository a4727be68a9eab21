package local

import (
	"context"
	"net/netip"

	"gatehouse/app/provider/vpshost"
)

var _ vpshost.Addressed = (*Host)(nil)

// Addresses is this machine, as it reaches itself.
func (h *Host) Addresses(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}
