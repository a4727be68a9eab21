package e2e

import (
	"net/http"

	"gatehouse/agentd/wire"
)

// Receipts are the records of a run and the runs it delegated; the chain must hold.
func (c *Client) Receipts(run string) []wire.Receipt {
	c.T.Helper()
	var list struct {
		Items    []wire.Receipt `json:"items"`
		Verified bool           `json:"verified"`
	}
	c.Want(http.StatusOK, http.MethodGet, "/runs/"+run+"/receipts", nil, &list)
	if !list.Verified {
		c.T.Errorf("receipts of %s do not verify", run)
	}
	return list.Items
}

// Count is how many receipts are of a type, and of one tool or, with "", of any.
func Count(all []wire.Receipt, kind, tool string) (n int) {
	for _, r := range all {
		if r.Type == kind && (tool == "" || r.Tool == tool) {
			n++
		}
	}
	return n
}

// Types names the type and tool of each receipt, for a failing test.
func Types(all []wire.Receipt) (out []string) {
	for _, r := range all {
		out = append(out, r.Type+" "+r.Tool)
	}
	return out
}
