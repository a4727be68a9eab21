package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel/googlechat/googlechattest"
	"gatehouse/agentd/wire"
)

// TestAgentd_googlechat: an app of the team in Google Chat, on the shipped program, whose events are brought over the link. Its owner is
// confirmed on the server's console, asks and is answered, once also when Google's yes is cut off. While this program is away, Google is
// told so. Killed when Google has an answer and has not said so, it does not send it again, and says that it is not known. By a button the
// owner denies what is asked, and the request then says so in its place; what a stranger gets is allowed in the portal alone.
func TestAgentd_googlechat(t *testing.T) {
	t.Parallel()
	g := googlechattest.Start(t)
	h, s := messengered(t, "googlechat", g.URL, wire.ChatSettings{
		Account: googlechattest.Account, Project: googlechattest.Project, Way: wire.ChatHook,
	}, g.Key())
	hook := h.channel().Hook
	g.Bring(h.brings(hook))
	me := googlechattest.Person{ID: "100000000000000000001", Name: "Owner"}
	other := googlechattest.Person{ID: "100000000000000000002", Name: "Other"}
	says := func(who googlechattest.Person, text string) {
		t.Helper()
		if got := g.Says(who, text); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	foreign := googlechattest.Claims(time.Now())
	foreign["aud"] = "999999999999"
	got := h.brings(hook)(googlechattest.Delivery([]byte("{}"), googlechattest.Sign(foreign, false, "")))
	if got.Status != http.StatusUnauthorized {
		t.Errorf("another project: %d", got.Status)
	}

	says(me, "Hello")
	code := codeIn(t, googleSays(t, g, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 || !strings.Contains(out, "Confirmed: googlechat "+me.ID) {
		t.Fatalf("%d %s", exit, out)
	}
	s.kill()
	if got := g.Says(me, "Is anybody there?"); got.Status != http.StatusServiceUnavailable {
		t.Errorf("%d", got.Status)
	}
	s.back()
	h.connected()
	g.Fail(googlechattest.RouteSend, googlechattest.Fault{Cut: true, Done: true})
	says(me, "How full is the disk?")
	if got := googleSays(t, g, me, 2).Text; !strings.Contains(got, "full") {
		t.Errorf("the owner is answered %q", got)
	}
	sent(t, "the answer is known to have gone", func() bool { return h.channel().Counts.Sent == 2 })

	g.Fail(googlechattest.RouteSend, googlechattest.Fault{Hang: true, Done: true})
	says(me, "How full is the disk now?")
	googleSays(t, g, me, 3)
	s.kill()
	s.back()
	h.connected()
	says(me, "And now, how full is the disk?")
	googleSays(t, g, me, 4)
	if v := h.channel(); v.Counts.Unknown != 1 || len(g.With(me)) != 4 {
		t.Errorf("%d messages, %+v", len(g.With(me)), v.Counts)
	}

	says(other, "Hello")
	googleSays(t, g, other, 1)
	v := h.channel()
	p := v.People[0]
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Channel: "googlechat", Person: p.ID, Address: p.Address, Version: v.Version}, "")
	h.connected()
	says(other, "How full is the disk?")
	ask := googleSays(t, g, me, 6)
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	if !strings.Contains(ask.Text, asked.Code) || len(ask.Buttons) != 1 || ask.Buttons[0].Data != "deny "+asked.ID {
		t.Fatalf("%+v", ask)
	}
	g.Presses(other, ask, ask.Buttons[0])
	if got := googleSays(t, g, other, 2).Text; !strings.Contains(got, "Only the owner can decide") {
		t.Errorf("whoever is not the owner is told %q", got)
	}
	g.Presses(me, ask, googlechattest.Button{Data: "allow " + asked.ID}) // as a hub that was broken into would bring it
	sent(t, "it is said that nothing is allowed here", func() bool {
		return slices.ContainsFunc(g.With(me), func(m googlechattest.Sent) bool { return strings.Contains(m.Text, "Do it in the portal") })
	})
	g.Presses(me, ask, ask.Buttons[0])
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalDenied || u.DecidedBy == nil || u.DecidedBy.Channel != "googlechat" {
		t.Errorf("%+v", u)
	}
	sent(t, "the message that asked says what came of it", func() bool {
		m := g.With(me)[5]
		return m.Edits > 0 && len(m.Buttons) == 0 && strings.Contains(m.Text, "Denied")
	})
	answer := wait(h, wire.TypeApprovalRequest, func(a wire.Approval) bool { return a.Tool == "channel_send" })
	h.decide(answer, wire.AllowOnce, nil)
	googleSays(t, g, other, 3)

	out, exit = s.tool("channels", "check", "--state", s.state, "googlechat")
	if exit != 0 || !strings.Contains(out, "reading: works") || strings.Contains(out, "PRIVATE KEY") {
		t.Errorf("%d %s", exit, out)
	}
}

// googleSays waits until somebody has n messages of the app, and gives the last.
func googleSays(t *testing.T, g *googlechattest.Server, who googlechattest.Person, n int) googlechattest.Sent {
	t.Helper()
	sent(t, fmt.Sprintf("%d messages to %s", n, who.Name), func() bool { return len(g.With(who)) >= n })
	return g.With(who)[n-1]
}
