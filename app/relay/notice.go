package relay

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// Kind names what a notice is about.
type Kind string

// The kinds of notices.
const (
	KindRun      Kind = "run"      // Run holds an event of a root run; ID is the run's
	KindApproval Kind = "approval" // an approval was asked or changed; ID is the approval's
	KindOrder    Kind = "order"    // an order changed; ID is the order's
	KindServer   Kind = "server"   // a server linked, unlinked or reported; ID is the server's
	KindUsage    Kind = "usage"    // a server reported what it used; ID is the server's
	KindConfig   Kind = "config"   // settings were changed or applied; ID is the server's
)

// Notice tells open pages that something of a customer changed. It holds ids: readers fetch what they may see. Only
// events of runs travel whole, for they are kept nowhere at the hub.
type Notice struct {
	Kind       Kind           `json:"kind"`
	CustomerID string         `json:"customer_id"`
	ID         string         `json:"id"`
	Run        *wire.RunEvent `json:"run,omitempty"`
}

// Notify tells every open page of the customer, at every hub. It does not wait, and a notice may be lost: pages and
// streams must be able to fetch the truth.
func (r *Relay) Notify(n Notice) error {
	if !plain(n.CustomerID) {
		return fmt.Errorf("notify: customer id %q", n.CustomerID)
	}
	if n.Kind == KindRun && !plain(n.ID) {
		return fmt.Errorf("notify: run id %q", n.ID)
	}
	raw, err := pack(n)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	if err := r.nc.Publish(subjectOf(n), raw); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// pack writes a notice. What an event says stands behind it as it came, in a line of its own: it was checked when it came
// in, is never looked at here, and is nearly all of what travels.
func pack(n Notice) ([]byte, error) {
	var data []byte
	if n.Run != nil {
		run := *n.Run
		data, run.Data = run.Data, nil
		n.Run = &run
	}
	raw, err := json.Marshal(n)
	if err != nil || data == nil {
		return raw, err
	}
	return append(append(raw, '\n'), data...), nil
}

// unpack reads what pack wrote.
func unpack(raw []byte) (n Notice, err error) {
	head, data, behind := bytes.Cut(raw, []byte("\n"))
	if err := json.Unmarshal(head, &n); err != nil {
		return Notice{}, err
	}
	if behind && n.Run != nil {
		n.Run.Data = data
	}
	return n, nil
}

// subjectOf is where a notice travels.
func subjectOf(n Notice) string {
	if n.Kind == KindRun {
		return runSubject(n.CustomerID, n.ID)
	}
	return newsSubject(n.CustomerID)
}
