package discord_test

import (
	"errors"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/discord/discordtest"
	"gatehouse/agentd/tool"
)

func withFiles(who discordtest.User) channel.Outbound {
	o := to(who, "Here they are.")
	o.Files = []channel.File{{Name: "offer 1.pdf", Data: []byte("%PDF\xff\x00")}, {Name: "größe.txt", Data: []byte("two")}}
	return o
}

// TestSend_files: files go with the last part of a text, each as it is and under its name.
func TestSend_files(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	if _, err := channeltest.Send(t, made(t, s, channel.Env{}), withFiles(owner)); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 1 || all[0].Text != "Here they are." || len(all[0].Files) != 2 || !all[0].Quiet {
		t.Fatalf("%+v", all)
	}
	f := all[0].Files
	if f[0].Name != "offer 1.pdf" || string(f[0].Data) != "%PDF\xff\x00" || f[1].Name != "größe.txt" || string(f[1].Data) != "two" {
		t.Errorf("%+v", f)
	}
}

// TestSend_fileFaults: a message with files is sent once, whatever is answered, and it is said what is known of it.
func TestSend_fileFaults(t *testing.T) {
	t.Parallel()
	const fine, sure, later, open = "it was sent", "nothing was sent", "later", "nobody knows"
	cut := discordtest.Fault{Cut: true, Done: true}
	for name, c := range map[string]struct {
		faults []discordtest.Fault
		want   string
		sent   int
	}{
		"too large":                  {[]discordtest.Fault{{Status: 413, Code: 40005}}, sure, 0},
		"too many":                   {[]discordtest.Fault{{Status: 429, RetryAfter: 17}}, later, 0},
		"cut off after it was taken": {[]discordtest.Fault{cut}, fine, 1},
		"cut off each time":          {[]discordtest.Fault{cut, cut, cut}, open, 1},
		"broken, then too large":     {[]discordtest.Fault{{Status: 502}, {Status: 413}}, open, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t)
			s.Fail(discordtest.RouteSend, c.faults...)
			_, err := channeltest.Send(t, made(t, s, channel.Env{}), withFiles(owner))
			got := open
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case err == nil:
				got = fine
			case errors.As(err, &no):
				got = sure
			case errors.As(err, &wait):
				got = later
			}
			if got != c.want || len(s.Sent()) != c.sent {
				t.Errorf("%s (%v), %d sent", got, err, len(s.Sent()))
			}
		})
	}
}

// TestSend_largest: what Discord takes at most goes out, and the server of the test refuses more as Discord does.
func TestSend_largest(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	ch := made(t, s, channel.Env{})
	o := to(owner, "Large")
	o.Files = []channel.File{{Name: "large", Data: make([]byte, ch.Capabilities().SendBytes)}}
	if _, err := channeltest.Send(t, ch, o); err != nil || len(s.Sent()) != 1 {
		t.Fatal(err)
	}
	o.ID, o.Files[0].Data = "another", make([]byte, ch.Capabilities().SendBytes+1)
	var no *tool.Refused
	if _, err := channeltest.Send(t, ch, o); !errors.As(err, &no) || len(s.Sent()) != 1 {
		t.Error(err)
	}
}
