package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/dev"
	"gatehouse/cmd/hub/rig"
)

func approveToStart() Figure {
	return Figure{
		Name: "approve_to_start_p95_ms", Unit: "ms", Goal: 50, Fsync: true, Take: takeApprove,
		How: "POST approvals/{id} allow_once until the event that the tool runs is read: decision stored, sent sealed, checked and recorded by agentd; p95",
	}
}

func takeApprove(ctx context.Context, s *Stage) (Run, error) {
	t, err := s.talker(ctx)
	if err != nil {
		return Run{}, err
	}
	defer t.Close()
	n := s.count(60, 5)
	var took []time.Duration
	for i := range n + n/10 {
		t.session = ""
		d, err := approveOne(s, t)
		if err != nil {
			return Run{}, err
		}
		if i >= n/10 {
			took = append(took, d)
		}
	}
	return Run{Value: percentile(took, 95), N: len(took)}, nil
}

// approveOne lets an agent ask, allows it, and says how long the tool took to start.
func approveOne(s *Stage, t *talker) (time.Duration, error) {
	var clicked, started time.Time
	var failed error
	_, err := t.turn("secretary", askMail, func(event string, data []byte) {
		switch wire.Event(event) {
		case wire.EventApproval:
			var a wire.ApprovalData
			if json.Unmarshal(data, &a) == nil && a.State == wire.ApprovalPending && clicked.IsZero() {
				clicked, failed = allow(t.say, s.hub.Demo.Approver, a.Approval)
			}
		case wire.EventTool:
			var d wire.ToolData
			if json.Unmarshal(data, &d) == nil && d.State == wire.ToolRunning && started.IsZero() {
				started = time.Now()
			}
		}
	})
	switch {
	case failed != nil:
		return 0, failed
	case err != nil:
		return 0, err
	case clicked.IsZero() || !started.After(clicked):
		return 0, errors.New("the tool did not start after a decision")
	}
	return started.Sub(clicked), nil
}

// allow says yes as a person does, with a signature: once the inbox shows the approval, which the run's own event may
// overtake. Signing is part of what is measured.
func allow(c *conn, key dev.Approver, a wire.Approval) (clicked time.Time, err error) {
	if err := shown(c, a.ID); err != nil {
		return time.Time{}, err
	}
	clicked = time.Now()
	yes, err := rig.Signed(key, a, map[string]any{"decision": wire.AllowOnce})
	if err != nil {
		return clicked, err
	}
	return clicked, c.ask(http.MethodPost, approvalsPath+"/"+a.ID, yes, http.StatusOK, nil)
}

// shown waits until the inbox has the approval.
func shown(c *conn, id string) error {
	for end := time.Now().Add(answerLimit); time.Now().Before(end); {
		var inbox struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
		}
		if err := c.ask(http.MethodGet, approvalsPath+"?status=pending", nil, http.StatusOK, &inbox); err != nil {
			return err
		}
		for _, it := range inbox.Items {
			if it.ID == id {
				return nil
			}
		}
	}
	return errors.New("the inbox never showed the approval")
}
