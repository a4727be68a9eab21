package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel/email/mailtest"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

const mailbox = "team@team.example"

// channels has the owner sign an act on a channel, that of e-mail unless it names another, and carries it out over the link.
func (h *hub) channels(a wire.ChannelAct, password string) wire.Channel {
	h.t.Helper()
	a.ID, a.Channel = newUUID(), cmp.Or(a.Channel, wire.ChannelEmail)
	c := wire.ChannelChange{Act: a, By: owner}
	raw, err := canonical.Of(a)
	if err != nil {
		h.t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Second)
	if c.Signature, err = h.owner.Sign(wire.ChangeText(serverID, wire.ChangeChannel, canonical.Sum(raw), 1, at), at); err != nil {
		h.t.Fatal(err)
	}
	if password != "" {
		name := wire.ChannelSecretName(a.Channel)
		o := told[wire.SecretOpening](h, wire.MethodSecretsOpen, wire.SecretOpenParams{Method: wire.MethodChannelChange, Name: name})
		c.Nonce = o.Nonce
		c.Box, err = wire.SealSecret(o.Key, wire.SecretPurpose{
			Method: wire.MethodChannelChange, ServerID: serverID, Name: name, Nonce: o.Nonce,
		}, []byte(password))
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return told[wire.Channel](h, wire.MethodChannelChange, c)
}

// mailboxed is a server with a mailbox of a real mail server, to which the owner may write.
func mailboxed(t *testing.T) (*hub, *server, *mailtest.Server) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("Postfix needs to be root")
	}
	m := mailtest.Start(t, mailbox, "owner@example.com", "stranger@elsewhere.example")
	h := newHub(t)
	s := start(t, h)
	made := h.channels(wire.ChannelAct{
		Do: wire.ChannelDoPut, Agent: "dispatcher", Policy: wire.ChannelPairing, Approvals: wire.ApprovalsOwn, Mail: wire.MailSettings{
			Address: mailbox, User: mailbox, AuthServ: "mx.team.example",
			IMAP: wire.MailServer{Host: "127.0.0.1", Port: m.IMAP, TLS: wire.MailPlain},
			SMTP: wire.MailServer{Host: "127.0.0.1", Port: m.SMTP, TLS: wire.MailPlain},
		},
	}, mailtest.Password)
	h.channels(wire.ChannelAct{Do: wire.ChannelDoAllow, Address: "owner@example.com", Owner: true, Version: made.Version}, "")
	h.connected()
	return h, s, m
}

// connected waits until the channel takes messages.
func (h *hub) connected() {
	h.t.Helper()
	var v wire.Channel
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if v = h.channel(); v.Live.Connected {
			return
		}
	}
	h.t.Fatalf("not connected: %+v", v.Live)
}

func (h *hub) channel() wire.Channel {
	h.t.Helper()
	all := told[wire.ChannelsResult](h, wire.MethodChannelsList, wire.ChannelsParams{})
	if len(all.Items) != 1 {
		h.t.Fatalf("%+v", all)
	}
	return all.Items[0]
}

// mailed waits until a mailbox has n mails, and gives the last.
func mailed(t *testing.T, m *mailtest.Server, box string, n int) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if all := m.Mails(t, box); len(all) >= n {
			return all[len(all)-1]
		}
	}
	t.Fatalf("%s has no %d mails", box, n)
	return ""
}

func letter(from, id, subject, text string, proven bool) string {
	head := ""
	if proven {
		_, domain, _ := strings.Cut(from, "@")
		head = "Authentication-Results: mx.team.example; dmarc=pass header.from=" + domain + "\n"
	}
	return head + fmt.Sprintf("From: %s\nTo: %s\nSubject: %s\nMessage-ID: %s\n\n%s\n", from, mailbox, subject, id, text)
}

// TestAgentd_mail: the owner writes a mail to the team, which an agent answers in the same thread, through the gate and a real mail
// server, also after the server was killed; a stranger gets a code, and no answer but with the owner's leave.
func TestAgentd_mail(t *testing.T) {
	t.Parallel()
	h, s, m := mailboxed(t)
	m.Deliver(t, "owner@example.com", mailbox, letter("owner@example.com", "<1@example.com>", "Disk", "How full is the disk?", true))
	got := mailed(t, m, "owner", 1)
	for _, want := range []string{"In-Reply-To: <1@example.com>", "Subject: Re: Disk", "full"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	talks := told[wire.SessionsResult](h, wire.MethodSessionsList, wire.ListParams{})
	if len(talks.Items) != 1 || talks.Items[0].Title != "Disk" {
		t.Fatalf("%+v", talks.Items)
	}
	talk := told[wire.Session](h, wire.MethodSessionGet, wire.SessionParams{SessionID: talks.Items[0].ID})
	if from := talk.Turns[0].From; from.Channel != "email" || !from.Owner || from.Email != "owner@example.com" {
		t.Errorf("%+v", from)
	}

	s.kill()
	again := letter("owner@example.com", "<2@example.com>", "Disk", "And now, how full is the disk?", true)
	m.Deliver(t, "owner@example.com", mailbox, again)
	s.back()
	mailed(t, m, "owner", 2)

	m.Deliver(t, "stranger@elsewhere.example", mailbox, letter("stranger@elsewhere.example", "<3@x>", "Hi", "How full is the disk?", true))
	code := mailed(t, m, "stranger", 1)
	v := h.channel()
	p := v.People[0]
	if p.State != wire.PersonWaiting || !strings.Contains(code, p.Code) {
		t.Fatalf("%+v in %s", p, code)
	}
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Person: p.ID, Address: p.Address, Version: v.Version}, "")
	m.Deliver(t, "stranger@elsewhere.example", mailbox, letter("stranger@elsewhere.example", "<4@x>", "Hi", "Good morning", true))
	if own := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true }); own.Tool != "channel_send" {
		h.decide(own, wire.Deny, func(*wire.Decision) {}) // the agent wanted to do something on a stranger's word
	}
	asked := wait(h, wire.TypeApprovalRequest, func(a wire.Approval) bool { return a.Tool == "channel_send" })
	if asked.Tier != "yellow_external" || len(m.Mails(t, "stranger")) != 1 {
		t.Errorf("%+v", asked)
	}
	h.decide(asked, wire.AllowOnce, func(*wire.Decision) {})
	mailed(t, m, "stranger", 2)

	out, code2 := s.tool("channels", "list", "--state", s.state)
	if code2 != 0 || !strings.Contains(out, mailbox) {
		t.Errorf("%d %s", code2, out)
	}
	out, code2 = s.tool("channels", "check", "--state", s.state, "email")
	if code2 != 0 || !strings.Contains(out, "reading: works") || !strings.Contains(out, "sending: works") {
		t.Errorf("%d %s", code2, out)
	}
}

// TestAgentd_mailApproval: what an agent may not do alone is put to the owner by mail, over a real mail server. A mail allows nothing,
// denies, and is no one's but the owner's.
func TestAgentd_mailApproval(t *testing.T) {
	t.Parallel()
	h, _, m := mailboxed(t)
	const other = "stranger@elsewhere.example"
	h.channels(wire.ChannelAct{Do: wire.ChannelDoAllow, Address: other, Version: h.channel().Version}, "")
	h.connected()
	m.Deliver(t, other, mailbox, letter(other, "<1@x>", "Hi", "Good morning", true))
	ask := strings.ReplaceAll(mailed(t, m, "owner", 1), "=\n", "")
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	for _, want := range []string{"approval_is_needed", other, "/deny " + asked.Code} {
		if !strings.Contains(ask, want) {
			t.Errorf("no %q in %s", want, ask)
		}
	}
	say := func(id, text string, proven bool, n int, want string) {
		t.Helper()
		m.Deliver(t, "owner@example.com", mailbox, letter("owner@example.com", id, "Re: approval", text, proven))
		if got := mailed(t, m, "owner", n); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %s", text, want, got)
		}
	}
	say("<2@example.com>", "/approve "+asked.Code, true, 2, "Nothing was decided")
	say("<3@example.com>", "/deny "+asked.Code, false, 3, "not certain that you wrote this")
	say("<4@example.com>", "/deny "+asked.Code+" not today", true, 4, "Denied: ")
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalDenied || u.DecidedBy == nil || u.DecidedBy.Channel != "email" || u.DecidedBy.Name != "owner@example.com" {
		t.Errorf("%+v", u)
	}
}
