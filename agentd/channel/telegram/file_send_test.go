package telegram_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/telegram"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/tool"
)

func withFiles(who telegramtest.User) channel.Outbound {
	o := to(who, "Here they are.")
	o.Files = []channel.File{{Name: "offer 1.pdf", Data: []byte("%PDF\xff\x00")}, {Name: "größe.txt", Data: []byte("two")}}
	return o
}

// TestSend_files: files stand beneath the text, each as it is and under its name.
func TestSend_files(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	d, err := channeltest.Send(t, made(t, s, channel.Env{}), withFiles(owner))
	if err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 3 || all[0].Text != "Here they are." || all[1].File != "offer 1.pdf" || string(all[1].Data) != "%PDF\xff\x00" {
		t.Fatalf("%+v", all)
	}
	if all[2].File != "größe.txt" || string(all[2].Data) != "two" || d.ID == "" {
		t.Errorf("%+v, %s", all[2], d.ID)
	}
}

// TestSend_fileFaults: once the text is out, nothing that goes wrong with a file has anything sent again, and nobody claims that
// nothing was sent. What Telegram asks to wait is waited.
func TestSend_fileFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault telegramtest.Fault
		sent  int
		fine  bool
	}{
		"too large":                  {telegramtest.Fault{Status: 413}, 1, false},
		"refused":                    {telegramtest.Fault{Status: 400}, 1, false},
		"too many":                   {telegramtest.Fault{Status: 429, RetryAfter: 1}, 3, true},
		"broken":                     {telegramtest.Fault{Status: 500}, 1, false},
		"cut off after it was taken": {telegramtest.Fault{Cut: true, Done: true}, 2, false},
		"silence after it was taken": {telegramtest.Fault{Hang: true, Done: true}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := telegramtest.Start(t)
			s.Fail("sendDocument", c.fault)
			_, err := channeltest.Send(t, made(t, s, channel.Env{}), withFiles(owner))
			var no *tool.Refused
			var later *channel.Later
			if (err == nil) != c.fine || errors.As(err, &no) || errors.As(err, &later) || len(s.Sent()) != c.sent {
				t.Errorf("%v, %d sent", err, len(s.Sent()))
			}
			if err != nil && (!strings.Contains(err.Error(), "1 of 3") || strings.Contains(err.Error(), s.Token())) {
				t.Error(err)
			}
			if n := s.Calls("sendMessage"); n != 1 {
				t.Errorf("the text was sent %d times", n)
			}
		})
	}
}

// TestCapabilities: files that the service takes go out by it.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	if can := (&telegram.Bot{}).Capabilities(); can.SendBytes < tool.MaxAttachment || can.SendFiles < 2 {
		t.Errorf("%+v", can)
	}
}
