package channeltest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/tooltest"
)

// sends is a tool that sends by a channel: only the gate gives leave to send.
type sends struct {
	ch channel.Channel
	o  channel.Outbound

	mu  sync.Mutex
	got channel.Delivery
	err error
}

type sendArgs struct {
	Text string `json:"text"`
}

func (*sends) Definition() tool.Definition {
	return tool.Definition{Name: "sends", Doc: "Sends.", Args: tool.SchemaOf[sendArgs](), Timeout: time.Minute}
}

func (*sends) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.Green, Action: "test.send", Says: "Send"}
}

func (s *sends) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	o := s.o
	o.Args = args
	got, err := s.ch.Send(ctx, p, o)
	s.mu.Lock()
	s.got, s.err = got, err
	s.mu.Unlock()
	return tool.Result{Text: "sent"}, err
}

// Send sends through a real gate, and gives what the channel said.
func Send(t *testing.T, ch channel.Channel, o channel.Outbound) (channel.Delivery, error) {
	t.Helper()
	s := &sends{ch: ch, o: o}
	tooltest.NewGate(t, tooltest.NewDir(t), s).Do(t, "sends", sendArgs{Text: "x"})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got, s.err
}
