package e2e

import (
	"net/http"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/rig"
)

// Asked follows a run until it waits for a person, and gives the question as the inbox has it.
func (c *Client) Asked(run string) wire.Approval {
	c.T.Helper()
	var a wire.Approval
	s := &Story{}
	c.Follow(run, s, func() bool {
		for _, e := range s.Events {
			if e.Kind == wire.EventApproval {
				a = Decode[wire.ApprovalData](c.T, e).Approval
			}
		}
		return a.State == wire.ApprovalPending
	})
	if a.ID == "" {
		c.T.Fatalf("run %s ended without a question: %v", run, s.Tail())
	}
	return c.Approval(a.ID)
}

// Approval is one approval as the inbox has it.
func (c *Client) Approval(id string) (a wire.Approval) {
	c.T.Helper()
	c.Want(http.StatusOK, http.MethodGet, "/approvals/"+id, nil, &a)
	return a
}

// Pending are the questions that wait.
func (c *Client) Pending() []wire.Approval {
	c.T.Helper()
	var list struct {
		Items []wire.Approval `json:"items"`
	}
	c.Want(http.StatusOK, http.MethodGet, "/approvals?status=pending", nil, &list)
	return list.Items
}

// Decide answers an approval, signed with the demo's key where it gives leave.
func (c *Client) Decide(id string, v wire.Verb) Answer {
	c.T.Helper()
	body := map[string]any{"decision": v}
	if v != wire.Deny {
		body = c.Signed(c.Approval(id), body)
	}
	return c.Do(http.MethodPost, "/approvals/"+id, body)
}

// Signed puts the demo's signature on a decision.
func (c *Client) Signed(a wire.Approval, body map[string]any) map[string]any {
	c.T.Helper()
	body, err := rig.Signed(c.Hub.Demo.Approver, a, body)
	if err != nil {
		c.T.Fatal(err)
	}
	return body
}

// Allow answers an approval and must be the first to do so.
func (c *Client) Allow(id string) {
	c.T.Helper()
	if a := c.Decide(id, wire.AllowOnce); a.Status != http.StatusOK {
		c.T.Fatalf("allow: %d %s", a.Status, a.Body)
	}
}

// WantUnchanged fails unless a question still waits, word for word.
func (c *Client) WantUnchanged(q wire.Approval) {
	c.T.Helper()
	now := c.Approval(q.ID)
	if now.State != wire.ApprovalPending || now.Digest != q.Digest || string(now.Args) != string(q.Args) || now.Summary != q.Summary {
		c.T.Errorf("the question is %+v, it was %+v", now, q)
	}
}

// DecideAll gives every question of a run the same answer until it ends.
func (c *Client) DecideAll(run string, v wire.Verb) *Story {
	c.T.Helper()
	s := &Story{}
	answered := map[string]bool{}
	for !s.Ended() {
		var open string
		c.Follow(run, s, func() bool {
			for _, e := range s.Events {
				if e.Kind != wire.EventApproval {
					continue
				}
				if a := Decode[wire.ApprovalData](c.T, e); a.State == wire.ApprovalPending && !answered[a.ID] {
					open = a.ID
				}
			}
			return open != ""
		})
		if open != "" && !s.Ended() {
			answered[open] = true
			if a := c.Decide(open, v); a.Status != http.StatusOK {
				c.T.Fatalf("%s: %d %s", v, a.Status, a.Body)
			}
		}
	}
	return s
}
