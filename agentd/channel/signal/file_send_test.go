package signal_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/signal/signaltest"
	"gatehouse/agentd/tool"
)

func withFiles(who signaltest.User) channel.Outbound {
	o := to(who, "Here they are.")
	o.Files = []channel.File{
		{Name: "offer 1+2, a%20b.pdf", Data: []byte("%PDF\xff\x00")},
		{Name: "größe.txt", Data: []byte("two")},
		{Name: "plain", Data: []byte("x")},
	}
	return o
}

// TestSend_files: files go with the last part of a text, each as it is, under its name and with its kind.
func TestSend_files(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	o := withFiles(owner)
	o.Text = strings.Repeat("word ", 500) + "end"
	if _, err := channeltest.Send(t, made(t, s, channel.Env{}), o); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 2 || len(all[0].Files) != 0 || len(all[1].Files) != 3 || !strings.HasSuffix(all[1].Text, "end") {
		t.Fatalf("%+v", all)
	}
	for i, f := range all[1].Files {
		if want := o.Files[i]; f.Name != want.Name || string(f.Data) != string(want.Data) {
			t.Errorf("%+v, not %+v", f, want)
		}
	}
	if f := all[1].Files; f[0].Kind != "application/pdf" || f[1].Kind != "text/plain" || f[2].Kind != "application/octet-stream" {
		t.Errorf("%+v", f)
	}
}

// TestSend_fileFaults: a message with files is sent once, whatever is answered, and it is said what is known of it.
func TestSend_fileFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault signaltest.Fault
		sure  bool
		sent  int
	}{
		"too large":                  {signaltest.Fault{Status: 413}, true, 0},
		"cut off after it was taken": {signaltest.Fault{Cut: true, Done: true}, false, 1},
		"silence after it was taken": {signaltest.Fault{Hang: true, Done: true}, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := signaltest.Start(t)
			s.Fail("send", c.fault)
			_, err := channeltest.Send(t, made(t, s, channel.Env{}), withFiles(owner))
			var no *tool.Refused
			if err == nil || errors.As(err, &no) != c.sure || len(s.Sent()) != c.sent || s.Calls("send") != 1 {
				t.Errorf("%v, %d sent in %d calls", err, len(s.Sent()), s.Calls("send"))
			}
		})
	}
}
