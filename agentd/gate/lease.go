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
	// Check answers ErrUnbound when one of the uses is not bound, and a *tool.Refused when a bound secret cannot be used
	// now. It leaves no trace.
	Check(ctx context.Context, uses []Use) error
	// Grant records a lease for each use, in the Write that records that the call starts. It checks again, and
	// answers the same. A call that is granted again under the same id gets the same versions.
	Grant(ctx context.Context, tx *sql.Tx, c Call, uses []Use) ([]Lease, error)
	// Value gives the value of a lease that Grant has recorded, until it expires.
	Value(ctx context.Context, callID string, l Lease) (secret.Value, error)
}

// ErrUnbound says that a secret may not be used there, or that there is none of that name: who asks cannot tell which.
var ErrUnbound = errors.New("no such secret is bound to this place")

// Use is one place where a call would put the value of a secret. Whether it may is the vault's to say, by its
// bindings, field by field.
type Use struct {
	Name   string // of the secret
	Tool   string // name of the tool; the gate fills it in
	Scheme string // http or https, for a value that leaves in a request
	Host   string // lower case, without port
	Port   int
	Header string // name of the header, or
	Field  string // name of the field in the body; for a file, path#KEY
}

// Destination is the place for people and receipts.
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

// Bearer is a Tool whose calls may carry secrets. In the arguments of any other tool a secret reference is refused.
type Bearer interface {
	// Uses lists every place where a call with these arguments would put a secret: for each reference in the
	// arguments, and for those that the tool adds by itself. It is pure; its errors are read by the model.
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

// leaseReceipts is a receipt for each lease, without values.
func (p *pipeline) leaseReceipts() []receipt.Entry {
	var all []receipt.Entry
	for _, l := range p.leases {
		all = append(all, p.newReceipt("credential.leased", map[string]any{
			"name": l.Name, "version": l.Version, "destination": clip(l.Destination(), 1000), "agent": p.call.Agent, "expires_at": l.ExpiresAt,
		}))
	}
	return all
}

// renewLeases leases anew for a call that runs again after a crash.
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

// endWithoutLeases ends a call that had started in a former process and cannot have its secrets anymore, or was stopped before it had
// them.
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
