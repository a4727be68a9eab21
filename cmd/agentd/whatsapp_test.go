package main

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/channel/whatsapp/whatsapptest"
	"gatehouse/agentd/wire"
)

// TestAgentd_whatsapp: a number of the team at WhatsApp, on the shipped program, whose messages are brought over the link. Its owner is
// confirmed on the server's console, asks and is answered, also when this program was killed meanwhile: Meta brings it again. Killed when
// WhatsApp has an answer and has not said so, it does not send it again, and knows that it went once Meta reports it. A stranger is
// answered when the owner allows it by a button; a failure that is reported later is counted.
func TestAgentd_whatsapp(t *testing.T) {
	t.Parallel()
	m := whatsapptest.Start(t)
	h, s := messengered(t, "whatsapp", m.URL, wire.ChatSettings{Account: whatsapptest.Account, Way: wire.ChatHook}, m.Secrets())
	hook := h.channel().Hook
	if !wire.ChannelHooked(hook) {
		t.Fatalf("the address ends in %q", hook)
	}
	to := h.brings(hook)
	if got := to(whatsapptest.Greeting(whatsapptest.Verify, "1158201444")); got.Status != 200 || string(got.Body) != "1158201444" {
		t.Fatalf("%+v", got)
	}
	if got := h.brings(strings.Repeat("x", 43))(whatsapptest.Greeting(whatsapptest.Verify, "1")); got.Status != 404 {
		t.Errorf("another address: %+v", got)
	}
	m.Bring(to)
	me, other := whatsapptest.Person{Phone: "4915550000001", Name: "Owner"}, whatsapptest.Person{Phone: "4915550000002", Name: "Other"}

	m.Says(me, "Hello")
	code := codeIn(t, whatsappSays(t, m, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 || !strings.Contains(out, "Confirmed: whatsapp "+me.Phone) {
		t.Fatalf("%d %s", exit, out)
	}
	s.kill()
	first := m.Says(me, "How full is the disk?")
	s.back()
	if got := whatsappSays(t, m, me, 2); !strings.Contains(got.Text, "full") || got.Answers != first {
		t.Errorf("the owner is answered %+v", got)
	}

	m.Fail(whatsapptest.RouteSend, whatsapptest.Fault{Hang: true, Done: true})
	m.Says(me, "How full is the disk now?")
	third := whatsappSays(t, m, me, 3)
	s.kill()
	s.back()
	sent(t, "it is not known whether the answer was sent", func() bool { return h.channel().Counts.Unknown == 1 })
	m.Reports(third, "delivered", 0)
	sent(t, "the report says that it was", func() bool { return h.channel().Counts.Unknown == 0 })

	m.Says(other, "Hello")
	whatsappSays(t, m, other, 1)
	v := h.channel()
	p := v.People[0]
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Channel: "whatsapp", Person: p.ID, Address: p.Address, Version: v.Version}, "")
	m.Says(other, "How full is the disk?")
	ask := whatsappSays(t, m, me, 5)
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	if !strings.Contains(ask.Text, asked.Code) || len(ask.Buttons) != 2 {
		t.Fatalf("%+v", ask)
	}
	if shown := whatsappWith(m, me)[3].Text; !strings.Contains(shown, "What would be done") || !strings.Contains(shown, other.Phone) {
		t.Errorf("%q", shown)
	}
	m.Presses(other, ask, ask.Buttons[0])
	if got := whatsappSays(t, m, other, 2).Text; !strings.Contains(got, "Only the owner can decide") {
		t.Errorf("whoever is not the owner is told %q", got)
	}
	m.Presses(me, ask, ask.Buttons[0])
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalAllowed || u.DecidedBy == nil || u.DecidedBy.Channel != "whatsapp" {
		t.Errorf("%+v", u)
	}
	pressed := map[string]bool{ask.ID: true}
	sent(t, "the answer to the other, each question allowed", func() bool {
		for _, one := range whatsappWith(m, me) {
			if len(one.Buttons) > 0 && !pressed[one.ID] {
				pressed[one.ID] = true
				m.Presses(me, one, one.Buttons[0])
			}
		}
		return len(whatsappWith(m, other)) >= 3
	})
	last := whatsappSays(t, m, other, 3)
	failed := h.channel().Counts.Failed
	m.Reports(last, "failed", 131026)
	sent(t, "the report says that it failed", func() bool { return h.channel().Counts.Failed == failed+1 })

	out, exit = s.tool("channels", "check", "--state", s.state, "whatsapp")
	if exit != 0 || !strings.Contains(out, "reading: works") || strings.Contains(out, m.Token()) || strings.Contains(out, m.Secret) {
		t.Errorf("%d %s", exit, out)
	}
}

// whatsappWith is what the number has sent to somebody.
func whatsappWith(m *whatsapptest.Server, who whatsapptest.Person) (all []whatsapptest.Sent) {
	for _, one := range m.Sent() {
		if one.To == who.Phone {
			all = append(all, one)
		}
	}
	return all
}

// whatsappSays waits until somebody has n messages of the number, and gives the last.
func whatsappSays(t *testing.T, m *whatsapptest.Server, who whatsapptest.Person, n int) whatsapptest.Sent {
	t.Helper()
	sent(t, fmt.Sprintf("%d messages to %s", n, who.Name), func() bool { return len(whatsappWith(m, who)) >= n })
	return whatsappWith(m, who)[n-1]
}
