package slack_test

import (
	"errors"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/slack/slacktest"
	"gatehouse/agentd/tool"
)

func withFiles(who slacktest.User) channel.Outbound {
	o := to(who, "Here they are.")
	o.Files = []channel.File{{Name: "offer 1.pdf", Data: []byte("%PDF\xff\x00")}, {Name: "größe.txt", Data: []byte("two")}}
	return o
}

// TestSend_files: the files are shared together beneath the text, each as it is and under its name.
func TestSend_files(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	if _, err := channeltest.Send(t, made(t, s, channel.Env{}), withFiles(owner)); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 2 || all[0].Text != "Here they are." || len(all[1].Files) != 2 || all[1].Channel != all[0].Channel {
		t.Fatalf("%+v", all)
	}
	f := all[1].Files
	if f[0].Name != "offer 1.pdf" || string(f[0].Data) != "%PDF\xff\x00" || f[1].Name != "größe.txt" || string(f[1].Data) != "two" {
		t.Errorf("%+v", f)
	}
}

// TestSend_filesThread: files stand in the thread of their answer.
func TestSend_filesThread(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	o := withFiles(owner)
	o.Reply.ID = s.Chat(owner) + "/1780000000.000100/1780000000.000001"
	if _, err := channeltest.Send(t, made(t, s, channel.Env{}), o); err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	if len(all) != 2 || all[0].Thread != "1780000000.000001" || all[1].Thread != all[0].Thread {
		t.Errorf("%+v", all)
	}
}

// TestSend_fileFaults: until files are shared nothing was sent, and that is said. From then on nothing is sent again.
func TestSend_fileFaults(t *testing.T) {
	t.Parallel()
	const fine, sure, later, open = "it was sent", "nothing was sent", "later", "nobody knows"
	for name, c := range map[string]struct {
		method string
		fault  fault
		want   string
		sent   int
	}{
		"no room":                    {"files.getUploadURLExternal", fault{Error: "file_upload_size_restricted"}, sure, 0},
		"a right lacks":              {"files.getUploadURLExternal", fault{Error: "missing_scope"}, sure, 0},
		"too many":                   {"files.getUploadURLExternal", fault{Status: 429, RetryAfter: 17}, later, 0},
		"broken":                     {"files.getUploadURLExternal", fault{Status: 500}, sure, 0},
		"too large":                  {"upload", fault{Status: 413}, sure, 0},
		"too many bytes":             {"upload", fault{Status: 429, RetryAfter: 17}, later, 0},
		"cut in the upload":          {"upload", fault{Cut: true, Done: true}, sure, 0},
		"silence in the upload":      {"upload", fault{Hang: true}, sure, 0},
		"not shared":                 {"files.completeUploadExternal", fault{Error: "posting_to_channel_denied"}, open, 1},
		"share it later":             {"files.completeUploadExternal", fault{Status: 429, RetryAfter: 1}, fine, 2},
		"broken when shared":         {"files.completeUploadExternal", fault{Status: 500, Done: true}, open, 2},
		"cut off after it was taken": {"files.completeUploadExternal", fault{Cut: true, Done: true}, open, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.Start(t)
			s.Fail(c.method, c.fault)
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
			if err != nil {
				wantsNoToken(t, s, err.Error())
			}
		})
	}
}
