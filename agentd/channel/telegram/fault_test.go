package telegram_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/telegram"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/secret"
)

// trouble fails unless an error is one that people read, and says whether a person has to do something.
func trouble(t *testing.T, s *telegramtest.Server, err error, want string) (hard bool) {
	t.Helper()
	var known *channel.Trouble
	if !errors.As(err, &known) || !strings.Contains(known.Text, want) {
		t.Fatalf("%v, not %q", err, want)
	}
	if strings.Contains(err.Error(), s.Token()) {
		t.Errorf("the token is in %v", err)
	}
	return known.Hard
}

// TestRun_faults: every bad answer to a poll ends in words or is waited for, and what was written meanwhile comes once it is over.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault telegramtest.Fault
		want  string
		hard  bool
	}{
		"not known":          {telegramtest.Fault{Status: 401}, "does not accept the token", true},
		"asked twice":        {telegramtest.Fault{Status: 409}, "Another program asks for the messages", false},
		"broken":             {telegramtest.Fault{Status: 500}, "no answer that can be read", false},
		"cut off":            {telegramtest.Fault{Cut: true}, "no answer that can be read", false},
		"silence":            {telegramtest.Fault{Hang: true}, "no answer", false},
		"a proxy in between": {telegramtest.Fault{Garbage: true}, "no answer that can be read", false},
		"wait for an hour":   {telegramtest.Fault{Status: 429, RetryAfter: 3600}, "asks to wait", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := telegramtest.Start(t)
			r := run(t, s, channel.Env{}).Ready(t)
			s.Fail("getUpdates", c.fault)
			s.Says(owner, "Meanwhile") // ends a poll that waits already
			if hard := trouble(t, s, r.End(t), c.want); hard != c.hard {
				t.Errorf("hard is %v", hard)
			}
			s.Says(owner, "Later")
			again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
			channeltest.Until(t, "both messages", func() bool { return len(r.Came())+len(again.Came()) >= 2 })
			if all := append(r.Came(), again.Came()...); len(all) != 2 || all[0].Text != "Meanwhile" || all[1].Text != "Later" {
				t.Errorf("%+v", all)
			}
		})
	}
}

// TestRun_asked: what Telegram asks to wait is waited, without an end.
func TestRun_asked(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Fail("getUpdates", telegramtest.Fault{Status: 429, RetryAfter: 1})
	s.Says(owner, "One")
	s.Says(owner, "Two")
	begin := time.Now()
	r.Waits(t, 2)
	if len(r.Ended) != 0 {
		t.Errorf("it ended after %s", time.Since(begin))
	}
}

// TestRevoked: a token that is taken back while the bot runs is said in words, by the run, the check and the answer.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	token := s.Token()
	r := run(t, s, channel.Env{}).Ready(t)
	s.Revoke()
	if !trouble(t, s, r.End(t), "does not accept the token") {
		t.Error("trying again helps")
	}
	reads, sends := r.Check(t.Context())
	if !strings.Contains(reads, "does not accept the token") || reads != sends || strings.Contains(reads, token) {
		t.Errorf("%q %q", reads, sends)
	}
	_, err := channeltest.Send(t, r, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "does not accept the token") || len(s.Sent()) != 0 {
		t.Error(err)
	}
}

// TestCheck: the check says what a person can do.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	kept := func(token string) channel.Env {
		return channel.Env{Password: func(context.Context) (secret.Value, error) { return secret.New(token), nil }}
	}
	checks := func(what, want string, ch channel.Channel, within time.Duration) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		if reads, _ := ch.Check(ctx); want == "" && reads != "" || !strings.Contains(reads, want) {
			t.Errorf("%s: %q", what, reads)
		}
	}
	checks("all is well", "", made(t, s, channel.Env{}), time.Minute)
	checks("none", "no token", made(t, s, kept("")), time.Minute)
	checks("another bot", "another bot", made(t, s, kept("5:AAx")), time.Minute)
	checks("a wrong one", "does not accept", made(t, s, kept("4200000001:AAx")), time.Minute)
	checks("no token at all", "does not accept", made(t, s, kept("4200000001:AA/../x")), time.Minute)
	s.SetHook("https://other.example/hook")
	checks("a webhook", "by a webhook", made(t, s, channel.Env{}), time.Minute)
	r := run(t, s, channel.Env{})
	if !trouble(t, s, r.End(t), "by a webhook") {
		t.Error("trying again helps")
	}
	s.SetHook("")
	s.Fail("getMe", telegramtest.Fault{Hang: true})
	checks("silence", "cannot be reached", made(t, s, channel.Env{}), 200*time.Millisecond)
}

// TestMake: settings without the number of a bot are refused.
func TestMake(t *testing.T) {
	t.Parallel()
	if _, err := telegram.Kind().Make(channel.Settings{}, channel.Env{}); err == nil {
		t.Error("taken")
	}
}

// TestSend_faults: what Telegram certainly has not taken may be sent again, and nothing else is.
func TestSend_faults(t *testing.T) {
	t.Parallel()
	const (
		sure    = "nothing was sent, and it is said why"
		later   = "nothing was sent, and it is tried when Telegram asks for it"
		unknown = "nobody knows"
	)
	for name, c := range map[string]struct {
		fault telegramtest.Fault
		want  string
		sent  int
	}{
		"refused":                    {telegramtest.Fault{Status: 400}, sure, 0},
		"blocked by the person":      {telegramtest.Fault{Status: 403}, sure, 0},
		"token taken back":           {telegramtest.Fault{Status: 401}, sure, 0},
		"too many":                   {telegramtest.Fault{Status: 429, RetryAfter: 17}, later, 0},
		"broken":                     {telegramtest.Fault{Status: 500}, unknown, 0},
		"broken after it was taken":  {telegramtest.Fault{Status: 500, Done: true}, unknown, 1},
		"cut off after it was taken": {telegramtest.Fault{Cut: true, Done: true}, unknown, 1},
		"silence":                    {telegramtest.Fault{Hang: true}, unknown, 0},
		"silence after it was taken": {telegramtest.Fault{Hang: true, Done: true}, unknown, 1},
		"a proxy in between":         {telegramtest.Fault{Garbage: true, Done: true}, unknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := telegramtest.Start(t)
			ch := made(t, s, channel.Env{})
			s.Fail("sendMessage", c.fault)
			_, err := channeltest.Send(t, ch, to(owner, "Hello"))
			got := unknown
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case err == nil:
				got = "it was sent"
			case errors.As(err, &no):
				got = sure
			case errors.As(err, &wait):
				got = later
				if wait.After != 17*time.Second {
					t.Errorf("after %s", wait.After)
				}
			}
			if got != c.want || len(s.Sent()) != c.sent || s.Calls("sendMessage") != 1 || strings.Contains(err.Error(), s.Token()) {
				t.Errorf("%s (%v), %d sent in %d calls", got, err, len(s.Sent()), s.Calls("sendMessage"))
			}
		})
	}
}

// TestSend_quiet: while Telegram asks to wait, nothing more is sent to it.
func TestSend_quiet(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Fail("sendMessage", telegramtest.Fault{Status: 429, RetryAfter: 60})
	for range 3 {
		var wait *channel.Later
		if _, err := channeltest.Send(t, ch, to(owner, "Hello")); !errors.As(err, &wait) {
			t.Fatal(err)
		}
	}
	if n := s.Calls("sendMessage"); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestSend_away: a server that is not there has got nothing.
func TestSend_away(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Stop()
	_, err := channeltest.Send(t, ch, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "cannot be reached") {
		t.Error(err)
	}
}

// TestSend_long: a long answer is several messages, none too long, with every word, sign and link whole, and the buttons beneath the last.
// One that breaks off in the middle is of unknown outcome; what Telegram asks to wait in between is waited.
func TestSend_long(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	ch := made(t, s, channel.Env{})
	word := "👩‍👩‍👧‍👦 שלום https://example.com/a?b=c "
	o := to(owner, strings.Repeat(word, 300))
	o.Buttons = []channel.Button{{Label: "Yes", Data: "y"}}
	d, err := channeltest.Send(t, ch, o)
	if err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	var joined []string
	for i, m := range all {
		joined = append(joined, m.Text)
		if n := len(utf16.Encode([]rune(m.Text))); n > 4096 || !utf8.ValidString(m.Text) {
			t.Errorf("%d units", n)
		}
		if (len(m.Buttons) > 0) != (i == len(all)-1) || !m.NoPreview {
			t.Errorf("%d of %d has the buttons %+v", i, len(all), m.Buttons)
		}
	}
	if len(all) < 3 || strings.Join(strings.Fields(strings.Join(joined, " ")), " ") != strings.TrimSpace(o.Text) {
		t.Errorf("%d messages that are not the text", len(all))
	}
	if last := all[len(all)-1]; !strings.HasSuffix(d.ID, "/"+strconv.FormatInt(last.ID, 10)) {
		t.Errorf("%s is not the last", d.ID)
	}
	s2 := telegramtest.Start(t)
	s2.FailAfter("sendMessage", 1, telegramtest.Fault{Status: 429, RetryAfter: 1}, telegramtest.Fault{Status: 400})
	_, err = channeltest.Send(t, made(t, s2, channel.Env{}), o)
	var no *tool.Refused
	if err == nil || errors.As(err, &no) || !strings.Contains(err.Error(), "1 of ") || len(s2.Sent()) != 1 {
		t.Errorf("%v after %d", err, len(s2.Sent()))
	}
}

// TestSend_group: an answer in a group stands beneath its question.
func TestSend_group(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	ch := made(t, s, channel.Env{})
	o := channel.Outbound{To: "-100123", Text: "80 %", Reply: channel.Reply{ID: "-100123/42"}}
	if _, err := channeltest.Send(t, ch, o); err != nil || s.Sent()[0].ReplyTo != 42 {
		t.Errorf("%v %+v", err, s.Sent())
	}
}

// TestTyping: it is shown that an answer is being written.
func TestTyping(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	typer, is := made(t, s, channel.Env{}).(channel.Typer)
	if !is {
		t.Fatal("it cannot be shown")
	}
	typer.Typing(t.Context(), "8000000001")
	if s.Calls("sendChatAction") != 1 {
		t.Error("not shown")
	}
}
