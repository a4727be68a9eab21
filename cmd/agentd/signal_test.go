package main

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/channel/signal/signaltest"
	"gatehouse/agentd/wire"
)

// TestAgentd_signal: a Signal account of the team, on the shipped program, without any secret. Its owner is confirmed on the server's
// console, asks and is answered, also when the connection has ended meanwhile, and when this program was killed. Killed when Signal has an
// answer and has not said so, it does not send it again, and says that it is not known. A stranger is answered when the owner allows it by
// its code.
func TestAgentd_signal(t *testing.T) {
	t.Parallel()
	phone := signaltest.Start(t)
	h, s := botted(t, "signal", phone.URL, signaltest.Account, "")
	me := signaltest.Person("80000000-0000-4000-8000-000000000001", "Owner")
	other := signaltest.Person("80000000-0000-4000-8000-000000000002", "Other")

	phone.Says(me, "/start")
	code := codeIn(t, signalSays(t, phone, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 || !strings.Contains(out, "Confirmed: signal "+me.ID) {
		t.Fatalf("%d %s", exit, out)
	}
	phone.Break()
	phone.Says(me, "How full is the disk?")
	if got := signalSays(t, phone, me, 2).Text; !strings.Contains(got, "full") {
		t.Errorf("the owner is answered %q", got)
	}

	phone.Fail("send", signaltest.Fault{Hang: true, Done: true})
	phone.Says(me, "How full is the disk now?")
	signalSays(t, phone, me, 3)
	s.kill()
	phone.Says(me, "And now, how full is the disk?")
	s.back()
	signalSays(t, phone, me, 4)
	if v := h.channel(); v.Counts.Unknown != 1 || len(signalWith(phone, me)) != 4 {
		t.Errorf("%d messages, %+v", len(signalWith(phone, me)), v.Counts)
	}

	phone.Says(other, "Hello")
	signalSays(t, phone, other, 1)
	v := h.channel()
	p := v.People[0]
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Channel: "signal", Person: p.ID, Address: p.Address, Version: v.Version}, "")
	phone.Says(other, "How full is the disk?")
	ask := signalSays(t, phone, me, 5)
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	if !strings.Contains(ask.Text, "/approve "+asked.Code) {
		t.Fatalf("%+v", ask)
	}
	phone.Says(other, "/approve "+asked.Code)
	if got := signalSays(t, phone, other, 2).Text; !strings.Contains(got, "Only the owner can decide") {
		t.Errorf("whoever is not the owner is told %q", got)
	}
	phone.Says(me, "approve "+strings.ToLower(asked.Code))
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalAllowed || u.DecidedBy == nil || u.DecidedBy.Channel != "signal" {
		t.Errorf("%+v", u)
	}
	sent(t, "the message that asked says what came of it", func() bool {
		m := signalWith(phone, me)[4]
		return m.Edits > 0 && strings.Contains(m.Text, "Allowed")
	})

	out, exit = s.tool("channels", "check", "--state", s.state, "signal")
	if exit != 0 || !strings.Contains(out, "reading: works") {
		t.Errorf("%d %s", exit, out)
	}
}

// signalWith is what the account has sent to somebody.
func signalWith(phone *signaltest.Server, who signaltest.User) (all []signaltest.Sent) {
	for _, m := range phone.Sent() {
		if m.To == who.ID {
			all = append(all, m)
		}
	}
	return all
}

// signalSays waits until somebody has n messages of the account, and gives the last.
func signalSays(t *testing.T, phone *signaltest.Server, who signaltest.User, n int) signaltest.Sent {
	t.Helper()
	sent(t, fmt.Sprintf("%d messages to %s", n, who.Name), func() bool { return len(signalWith(phone, who)) >= n })
	return signalWith(phone, who)[n-1]
}
