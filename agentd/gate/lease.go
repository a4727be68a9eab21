package gate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/vault/secret"
)

// Leases is what the gate needs of the vault: leave to use a value, for one call and one place.
type Leases interface {
	// Check answers ErrUnbound when one of the uses is not bound, and a *tool.Refused when a bound secret cannot be used now.
	// It leaves no trace.
	Check(ctx context.Context, uses []Use) error
	// Grant records a lease for each use, in the Write that records the start of the call. It checks again and answers the same
	// errors. A call that is granted again under the same id gets the same versions.
	Grant(ctx context.Context, tx *sql.Tx, c Call, uses []Use) ([]Lease, error)
	// Value gives the value of a lease that Grant has recorded, until it expires.
	Value(ctx context.Context, callID string, l Lease) (secret.Value, error)
}

// ErrUnbound says that a secret may not be used there, or that there is none of that name. The caller cannot tell which.
var ErrUnbound = errors.New("no such secret is bound to this place")

// Use is one place where a call would put the value of a secret. The vault decides whether it may, by its bindings, field by
// field.
type Use struct {
	Name   string // of the secret
	Tool   string // name of the tool; the gate fills it in
	Scheme string // http or https, for a value that leaves in a request
	Host   string // lower case, without port
	Port   int
	Header string // name of the header, or
	Field  string // name of the field in the body; for a file, path#KEY
}

// Destination is the place as people and receipts read it.
func (u Use) Destination() string {
	where := u.Tool
	if u.Host != "" {
		where = fmt.Sprintf("%s://%s:%d", u.Scheme, u.Host, u.Port)
	}
	if u.Header != "" {
		return where + " header " + u.Header
	}
	return where + " field " + u.Field
}

// Lease is the leave to use one version of a secret in one place, for one call.
type Lease struct {
	Use
	Version   int
	ExpiresAt time.Time
}

// Bearer is a Tool whose calls may carry secrets. A secret reference in the arguments of any other tool is refused.
type Bearer interface {
	// Uses lists every place where a call with these arguments would put a secret: for each reference in the arguments, and for
	// the secrets that the tool adds by itself. It is pure. The model reads its errors.
	Uses(args []byte) ([]Use, error)
}

// grantLeases is the second half of stage 8: the leases are on record before the call starts.
func (p *pipeline) grantLeases(t txn) ([]receipt.Entry, error) {
	p.leases = nil
	if len(p.uses) == 0 {
		return nil, nil
	}
	leases, err := p.deps.Leases.Grant(t.ctx, t.tx, p.call, p.uses)
	if err != nil {
		return nil, leaseRefusal(err)
	}
	p.leases = leases
	return p.leaseReceipts(), nil
}

// leaseReceipts makes a receipt for each lease, without values.
func (p *pipeline) leaseReceipts() []receipt.Entry {
	var all []receipt.Entry
	for _, l := range p.leases {
		all = append(all, p.newReceipt("credential.leased", map[string]any{
			"name": l.Name, "version": l.Version, "destination": clip(l.Destination(), 1000), "agent": p.call.Agent, "expires_at": l.ExpiresAt,
		}))
	}
	return all
}

// renewLeases grants leases again for a call that runs again after a crash.
func (p *pipeline) renewLeases(ctx context.Context) error {
	if err := p.checkRefs(ctx); err != nil || len(p.uses) == 0 {
		return err
	}
	return p.write(ctx, func(t txn) error {
		notes, err := p.grantLeases(t)
		if err != nil {
			return err
		}
		return t.appendReceipts(notes)
	})
}

// endWithoutLeases ends a call that started in an earlier process and can no longer have its secrets, or that was stopped
// before it had them.
func (p *pipeline) endWithoutLeases(ctx context.Context, err error) (Outcome, error) {
	var no *refusal
	switch {
	case ctx.Err() != nil:
		return p.endStarted(ctx)
	case errors.As(err, &no):
		return p.endUnknown(ctx)
	}
	return Outcome{}, err
}
