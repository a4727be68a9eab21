package frame

import (
	"context"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/views/portal"
)

// Rings reads the keys of the customer's server; approver.Service does.
type Rings interface {
	Of(ctx context.Context, of account.CustomerID) (approver.Ring, error)
}

// Unwritten is what a page says while nobody has written the recovery code down; nil when none waits for that.
func Unwritten(ctx context.Context, rings Rings, of account.CustomerID) (*portal.RecoveryProps, error) {
	ring, err := rings.Of(ctx, of)
	if fault.Of(err).Kind == fault.NotFound { // a server that is not there yet has made no code
		return nil, nil
	}
	if err != nil || ring.Recovery == nil {
		return nil, err
	}
	out := &portal.RecoveryProps{Server: string(ring.ServerID), KeyID: ring.Recovery.KeyID}
	for _, k := range ring.Keys {
		if k.KeyID == out.KeyID {
			out.Device = k.Label
		}
	}
	return out, nil
}
