package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/wire"
	"gatehouse/app/dns"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/server"
)

const (
	lookEvery = 50 * time.Millisecond
	lastLines = 15 // of agentd's log, shown when it does not come
)

// install sets the machine up, starts agentd there and waits until it has registered and opened its link.
func (r *Runner) install(ctx context.Context, o order.Order, log Log) (Done, error) {
	srv, err := r.Servers.Get(ctx, o.CustomerID, server.ID(o.ServerID))
	if err != nil {
		return Done{}, err
	}
	host, err := r.host(srv.Provider)
	if err != nil {
		return Done{}, err
	}
	s := vpshost.Setup{ServerID: o.ServerID, Name: r.DNS.Host(o), AdminKey: o.AdminKey, Say: func(lines ...string) { log(ctx, lines...) }}
	if !srv.Registered() {
		if s.Token, err = r.Servers.Mint(ctx, srv.ID); err != nil {
			return Done{}, err
		}
		log(ctx, "A one-time registration token is ready. It works once, for 24 hours.")
		if s.Seed, err = r.seed(ctx, o); err != nil {
			return Done{}, err
		}
		if s.Seed != "" {
			log(ctx, "The key of the browser that ordered is ready for the server's first start.")
		}
	}
	if err := host.Install(ctx, s); err != nil {
		return Done{}, refused(err)
	}
	if place, ok := host.(vpshost.Named); ok && !dns.Loopback(s.Name) {
		if err := place.SetName(ctx, o.ServerID, s.Name); err != nil {
			return Done{}, refused(err)
		}
		log(ctx, "The address of the machine leads back to "+s.Name+".")
	}
	log(ctx, "agentd is started.")
	if err := r.await(ctx, o, host, log); err != nil {
		return Done{}, err
	}
	s.Token, s.Seed = "", ""
	if err := host.Finish(ctx, s); err != nil {
		return Done{}, refused(err)
	}
	return Done{Text: "The team is at work."}, nil
}

// What the owner's first key is called: one that the browser keeps, and a passkey.
const (
	seedLabel    = "Browser that ordered"
	passkeyLabel = "Passkey of the order"
)

// seed is the key of the browser that ordered, for the server's first start. It is empty when that browser made none, when
// whoever ordered was removed since, and when the server that is replaced refuses the key by now: then the server starts
// without a key, and a code enrolls the first one.
func (r *Runner) seed(ctx context.Context, o order.Order) (string, error) {
	if o.ApproverKey == "" {
		return "", nil
	}
	if o.Replaces != "" {
		if listed, err := r.Keys.KeyListed(ctx, o.Replaces); err != nil || !listed {
			return "", err
		}
	}
	by, err := r.People.User(ctx, o.CustomerID, o.OrderedBy)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	first := wire.Seed{SPKI: o.ApproverKey, Kind: o.KeyKind(), Credential: o.Passkey, Label: seedLabel, Address: by.Email}
	if o.Passkey != "" {
		first.Label, first.Origin = passkeyLabel, r.Origin
	}
	if o.ApproverBox != "" {
		if first.Box, err = wire.ParseBoxKey(o.ApproverBox, wire.ApproverKeyIDOf(o.ApproverKey)); err != nil {
			return "", order.Final("The keys of the browser that ordered cannot be read.", err)
		}
	}
	seed, err := json.Marshal(first)
	return string(seed), err
}

// await looks for the registration and then for the link, and says each when it has come.
func (r *Runner) await(ctx context.Context, o order.Order, host vpshost.Host, log Log) error {
	waiting, cancel := context.WithTimeout(ctx, r.Patience.Or(r.Wait))
	defer cancel()
	if err := r.until(waiting, func(ctx context.Context) (bool, error) {
		srv, err := r.Servers.Get(ctx, o.CustomerID, server.ID(o.ServerID))
		if !srv.RevokedAt.IsZero() {
			return false, order.ErrStale // stopped meanwhile
		}
		return srv.Registered(), err
	}); err != nil {
		return r.late(ctx, o, host, log, "register", err)
	}
	log(ctx, "The server has registered its keys.")
	if err := r.until(waiting, func(ctx context.Context) (bool, error) {
		return r.Links.Linked(ctx, o.ServerID), nil
	}); err != nil {
		return r.late(ctx, o, host, log, "open its link", err)
	}
	log(ctx, "The server has opened its link.")
	return nil
}

func (r *Runner) until(ctx context.Context, ok func(context.Context) (bool, error)) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if yes, err := ok(ctx); yes || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// late makes a wait that ran out final, after it has copied the last lines of agentd's log to the order's.
func (r *Runner) late(ctx context.Context, o order.Order, host vpshost.Host, log Log, what string, err error) error {
	if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err // the hub is stopping, or something else is wrong
	}
	lines, logErr := host.LastLog(ctx, o.ServerID, lastLines)
	if len(lines) > 0 {
		for i := range lines {
			lines[i] = redact.Text(lines[i])
		}
		log(ctx, append([]string{"The last lines of agentd's log:"}, lines...)...)
	}
	within := r.Patience.Or(r.Wait)
	text := fmt.Sprintf("The server did not %s within %s. The last lines of its log are below.", what, within)
	return order.Final(text, errors.Join(err, logErr))
}
