package hetzner

import (
	"context"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"gatehouse/app/provider/vpshost"
)

var _ vpshost.Named = (*Host)(nil)

// SetName has the address of a server's machine lead back to its name. The machine itself keeps the name that it was made under: by that
// one it is found again.
func (h *Host) SetName(ctx context.Context, serverID, name string) error {
	m, err := h.Store.Rented(ctx, serverID)
	if err != nil {
		return err
	}
	act, _, err := h.client().Server.ChangeDNSPtr(ctx, &hcloud.Server{ID: m.RentedID}, m.Address, &name)
	if err == nil {
		err = h.client().Action.WaitFor(ctx, act)
	}
	return inWords(err)
}
