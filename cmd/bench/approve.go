package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"gatehouse/agentd/wire"
)

func approveToStart() Figure {
	return Figure{
		Name: "approve_to_start_p95_ms", Unit: "ms", Goal: 50, Fsync: true, Take: takeApprove,
		How: "POST approvals/{id} allow_once until the event that the tool runs is read: decision stored, sent sealed, checked and recorded by agentd; p95",
	}
}

func takeApprove(_ context.Context, s *Stage) (Run, error) {
	t, err := s.talker()
	if err != nil {
		return Run{}, err
	}
	defer t.Close()
	n := s.count(60, 5)
	var took []time.Duration
	for i := range n + n/10 {
		t.session = ""
		d, err := approveOne(t)
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
func approveOne(t *talker) (time.Duration, error) {
	var clicked, started time.Time
	var failed error
	_, err := t.turn("secretary", askMail, func(event string, data []byte) {
		switch wire.Event(event) {
		case wire.EventApproval:
			var a wire.ApprovalData
			if json.Unmarshal(data, &a) == nil && a.State == wire.ApprovalPending && clicked.IsZero() {
				clicked = time.Now()
				failed = allow(t.say, a.ID)
			}
		case wire.EventTool:
			var d wire.ToolData
			if json.Unmarshal(data, &d) == nil && d.State == wire.ToolRunning && started.IsZero() {
				started = time.Now()
			}
		}
	})
	switch {
	case err != nil || failed != nil:
		return 0, errors.Join(err, failed)
	case clicked.IsZero() || !started.After(clicked):
		return 0, errors.New("the tool did not start after a decision")
	}
	return started.Sub(clicked), nil
}

func allow(c *conn, id string) error {
	return c.ask(http.MethodPost, "/api/v1/customer/approvals/"+id, map[string]string{"decision": string(wire.AllowOnce)}, http.StatusOK, nil)
}
