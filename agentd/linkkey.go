package agentd

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/wire"
)

// linkMethods renew the key that opens the link.
func (d *Daemon) linkMethods() rpc.Methods {
	return rpc.Methods{
		wire.MethodLinkKeyOffer: rpc.Without(d.offerLinkKey),
		wire.MethodLinkKeyTaken: rpc.With(rpc.Params{Unreadable: "The name of the key cannot be read."}, d.linkKeyTaken),
	}
}

func (d *Daemon) offerLinkKey(context.Context) (wire.KeyOffer, error) {
	keys := d.linkKeys.Load()
	if keys == nil {
		return wire.KeyOffer{}, &wire.RPCError{Code: "unavailable", Text: "This server is not registered."}
	}
	return keys.Offer()
}

// linkKeyTaken opens the link with the offered key from now on. The receipt comes after: a key that is not on record yet is better
// than a record of a key that does not open the link.
func (d *Daemon) linkKeyTaken(ctx context.Context, p wire.KeyTaken) (wire.KeyTaken, error) {
	keys := d.linkKeys.Load()
	if keys == nil {
		return p, &wire.RPCError{Code: "unavailable", Text: "This server is not registered."}
	}
	was := keys.ID()
	fresh, err := keys.Taken(p.KeyID)
	if errors.Is(err, link.ErrNotOffered) {
		return p, &wire.RPCError{Code: "conflict", Text: "This server has not offered that key. Nothing was changed."}
	}
	if err != nil || !fresh {
		return p, err
	}
	return p, d.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := d.receipts.Append(tx, receipt.Entry{Type: "link.key_renewed", Body: map[string]any{"from": was, "to": p.KeyID}})
		return err
	})
}
