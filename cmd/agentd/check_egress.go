package main

import (
	"context"
	"encoding/json"

	"gatehouse/agentd/egress"
	"gatehouse/agentd/redact"
)

// leaving is one line of input: what is about to leave.
type leaving struct {
	ID        json.RawMessage `json:"id"`
	Channel   string          `json:"channel"`
	Recipient string          `json:"recipient"`
	Known     []string        `json:"known_recipients"`
	Text      string          `json:"text"`
}

// judged is one line of output.
type judged struct {
	ID       json.RawMessage  `json:"id"`
	Verdict  egress.Decision  `json:"verdict"`
	Findings []egress.Finding `json:"findings"`
}

// checkEgress is "agentd check egress". It knows the forms of secrets, and no secret of this server.
func checkEgress(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	s := egress.Scanner{Secrets: redact.New()}
	return checkLines(ctx, c, func(line []byte) any { return judge(s, line) })
}

// judge looks at one line. What cannot be read does not leave.
func judge(s egress.Scanner, line []byte) judged {
	var l leaving
	if err := readLine(line, &l, "text"); err != nil {
		return judged{orNull(l.ID), egress.Block, []egress.Finding{{Kind: unreadable}}}
	}
	v := s.Scan(egress.Outgoing{Channel: l.Channel, Recipient: l.Recipient, Known: l.Known, Text: l.Text})
	return judged{orNull(l.ID), v.Decision, v.Findings}
}
