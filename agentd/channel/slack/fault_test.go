package slack_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/slack"
	"gatehouse/agentd/channel/slack/slacktest"
	"gatehouse/agentd/tool"
)

type fault = slacktest.Fault

// trouble fails unless an error is one that people read, and says whether a person has to do something.
func trouble(t *testing.T, s *slacktest.Server, err error, want string) (hard bool) {
	t.Helper()
	var known *channel.Trouble
	if !errors.As(err, &known) || !strings.Contains(known.Text, want) {
		t.Fatalf("%v, not %q", err, want)
	}
	wantsNoToken(t, s, err.Error())
	return known.Hard
}

func wantsNoToken(t *testing.T, s *slacktest.Server, text string) {
	t.Helper()
	if bot, app := s.Tokens(); strings.Contains(text, bot) || strings.Contains(text, app) {
		t.Errorf("a token is in %s", text)
	}
}

// TestRun_faults: every bad answer at the start ends in words, and what was written meanwhile comes once it is over.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method string
		fault  fault
		want   string
		hard   bool
	}{
		"not known":         {"auth.test", fault{Error: "invalid_auth"}, "does not accept a token", true},
		"taken back":        {"auth.test", fault{Error: "token_revoked"}, "does not accept a token", true},
		"removed":           {"auth.test", fault{Error: "account_inactive"}, "does not accept a token", true},
		"a right lacks":     {"bots.info", fault{Error: "missing_scope"}, "lacks a right", true},
		"broken":            {"auth.test", fault{Status: 500}, "no answer that can be read", false},
		"broken inside":     {"auth.test", fault{Error: "internal_error"}, "no answer that can be read", false},
		"cut off":           {"auth.test", fault{Cut: true}, "no answer that can be read", false},
		"silence":           {"auth.test", fault{Hang: true}, "cannot be reached", false},
		"another's":         {"auth.test", fault{Garbage: true}, "no answer that can be read", false},
		"wait":              {"auth.test", fault{Status: 429, RetryAfter: 3600}, "asks to wait", false},
		"app not known":     {"apps.connections.open", fault{Error: "invalid_auth"}, "does not accept a token", true},
		"socket not let":    {"apps.connections.open", fault{Error: "access_denied"}, "lacks a right", true},
		"socket silent":     {"apps.connections.open", fault{Hang: true}, "cannot be reached", false},
		"history is broken": {"conversations.history", fault{Status: 500}, "no answer that can be read", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.Start(t)
			first := run(t, s, channel.Env{}).Ready(t)
			s.Says(owner, "First")
			first.Waits(t, 1)
			channeltest.Until(t, "Slack knows", func() bool { return s.Waiting() == 0 })
			first.Stop()
			s.Says(owner, "Meanwhile")
			s.Fail(c.method, c.fault)
			r := run(t, s, channel.Env{Cursor: first.At()})
			if hard := trouble(t, s, r.End(t), c.want); hard != c.hard {
				t.Errorf("hard is %v", hard)
			}
			again := run(t, s, channel.Env{Cursor: first.At()}).Ready(t)
			s.Says(owner, "Later")
			channeltest.Until(t, "both messages", func() bool { return len(onlyOnce(again.Came())) >= 2 })
			if all := texts(onlyOnce(again.Came())); all[0] != "Meanwhile" || all[1] != "Later" {
				t.Errorf("%q", all)
			}
		})
	}
}

// TestRun_away: Socket Mode that is turned off, a bot of another app, and a Slack that is not there are said.
func TestRun_away(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Disable()
	s.Disconnect("link_disabled")
	if !trouble(t, s, r.End(t), "Socket Mode") {
		t.Error("trying again helps")
	}
	if !trouble(t, s, run(t, s, channel.Env{}).End(t), "Socket Mode") {
		t.Error("trying again helps")
	}
	s.Belongs("A0OTHER")
	if !trouble(t, s, run(t, s, channel.Env{}).End(t), "another app") {
		t.Error("trying again helps")
	}
	gone := slacktest.Start(t)
	gone.Stop()
	if trouble(t, gone, run(t, gone, channel.Env{}).End(t), "cannot be reached") {
		t.Error("a person has to do something")
	}
}

// TestRevoked: tokens that are taken back while the app runs are said in words, by the run, the check and the answer.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Revoke()
	if !trouble(t, s, r.End(t), "does not accept a token") {
		t.Error("trying again helps")
	}
	if reads, sends := r.Check(t.Context()); !strings.Contains(reads, "does not accept a token") || reads != sends {
		t.Errorf("%q %q", reads, sends)
	}
	_, err := channeltest.Send(t, r, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "does not accept a token") || len(s.Sent()) != 0 {
		t.Error(err)
	}
}

// TestCheck: the check says what a person can do.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	bot, app := s.Tokens()
	checks := func(what, want string, e channel.Env) {
		t.Helper()
		reads, _ := made(t, s, e).Check(t.Context())
		if want == "" && reads != "" || !strings.Contains(reads, want) {
			t.Errorf("%s: %q", what, reads)
		}
		wantsNoToken(t, s, reads)
	}
	pair := func(bot, app string) channel.Env {
		return kept(`{"bot_token":"` + bot + `","app_token":"` + app + `"}`)
	}
	checks("all is well", "", channel.Env{})
	checks("none", "are not there", kept(""))
	checks("one alone", "are not there", kept(bot))
	checks("half", "are not there", pair(bot, ""))
	checks("the wrong way around", "does not accept", pair(app, bot))
	checks("another app", "another app", pair(bot, "xapp-1-A0OTHER-1-x"))
	checks("a wrong one", "does not accept", pair("xoxb-x", app))
	checks("no token at all", "does not accept", pair("xoxb-x y", app))
	s.Fail("auth.test", fault{Hang: true})
	checks("silence", "cannot be reached", channel.Env{})
	s.Fail("apps.connections.open", fault{Error: "missing_scope"})
	reads, sends := made(t, s, channel.Env{}).Check(t.Context())
	if !strings.Contains(reads, "lacks a right") || sends != "" {
		t.Errorf("%q %q", reads, sends)
	}
	if _, err := slack.Kind().Make(channel.Settings{}, channel.Env{}); err == nil {
		t.Error("settings without an app are taken")
	}
}

// TestSend_faults: what Slack has not taken is said, and what nobody knows is of unknown outcome; nothing is sent twice.
func TestSend_faults(t *testing.T) {
	t.Parallel()
	const (
		sure    = "nothing was sent, and it is said why"
		later   = "nothing was sent, and it is tried when Slack asks for it"
		unknown = "nobody knows"
	)
	for name, c := range map[string]struct {
		fault fault
		want  string
		says  string
		sent  int
	}{
		"refused":                    {fault{Error: "invalid_blocks"}, sure, "refused the message", 0},
		"no such person":             {fault{Error: "user_not_found"}, sure, "this person", 0},
		"messages turned off":        {fault{Error: "messages_tab_disabled"}, sure, "this person", 0},
		"not in the channel":         {fault{Error: "not_in_channel"}, sure, "write there", 0},
		"taken back":                 {fault{Error: "token_revoked"}, sure, "does not accept a token", 0},
		"a right lacks":              {fault{Error: "missing_scope"}, sure, "lacks a right", 0},
		"too many":                   {fault{Status: 429, RetryAfter: 17}, later, "asks to wait 17s", 0},
		"another status":             {fault{Status: 403}, sure, "refused the message", 0},
		"broken":                     {fault{Status: 500}, unknown, "", 0},
		"broken after it was taken":  {fault{Status: 503, Done: true}, unknown, "", 1},
		"broken inside":              {fault{Error: "fatal_error", Done: true}, unknown, "", 1},
		"cut off after it was taken": {fault{Cut: true, Done: true}, unknown, "", 1},
		"silence after it was taken": {fault{Hang: true, Done: true}, unknown, "", 1},
		"a proxy in between":         {fault{Garbage: true, Done: true}, unknown, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.Start(t)
			s.Fail("chat.postMessage", c.fault)
			_, err := channeltest.Send(t, made(t, s, channel.Env{}), to(owner, "Hello"))
			got, said := unknown, ""
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case errors.As(err, &no):
				got, said = sure, no.Text
			case errors.As(err, &wait):
				if got, said = later, wait.Text; wait.After != 17*time.Second {
					t.Errorf("after %s", wait.After)
				}
			}
			n := s.Calls("chat.postMessage")
			if err == nil || got != c.want || !strings.Contains(said, c.says) || len(s.Sent()) != c.sent || n != 1 {
				t.Errorf("%s (%v), %d sent in %d calls", got, err, len(s.Sent()), n)
			}
			if err != nil {
				wantsNoToken(t, s, err.Error())
			}
		})
	}
}

// TestSend_chat: a private chat that cannot be opened is a message that was not sent.
func TestSend_chat(t *testing.T) {
	t.Parallel()
	for _, f := range []fault{{Error: "user_disabled"}, {Status: 500}, {Hang: true}, {Cut: true}, {Garbage: true}} {
		s := slacktest.Start(t)
		s.Fail("conversations.open", f)
		_, err := channeltest.Send(t, made(t, s, channel.Env{}), to(owner, "Hello"))
		var no *tool.Refused
		if !errors.As(err, &no) || s.Calls("chat.postMessage") != 0 {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// TestSend_quiet: while Slack asks to wait, nothing more is sent to it; a Slack that is not there has got nothing.
func TestSend_quiet(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Fail("chat.postMessage", fault{Status: 429, RetryAfter: 60})
	for range 3 {
		var wait *channel.Later
		if _, err := channeltest.Send(t, ch, to(owner, "Hello")); !errors.As(err, &wait) {
			t.Fatal(err)
		}
	}
	if n := s.Calls("chat.postMessage"); n != 1 {
		t.Errorf("%d calls", n)
	}
	gone := slacktest.Start(t)
	ch = made(t, gone, channel.Env{})
	gone.Stop()
	_, err := channeltest.Send(t, ch, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "cannot be reached") {
		t.Error(err)
	}
}

// TestSend_long: a long answer is several messages, none too long, with every word, sign and link whole, and the buttons beneath the last.
// One that breaks off in the middle is of unknown outcome; what Slack asks to wait in between is waited.
func TestSend_long(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	ch := made(t, s, channel.Env{})
	o := to(owner, strings.Repeat("👩‍👩‍👧‍👦 שלום https://example.com/a?b=c&d=<e> ", 300))
	o.Buttons = []channel.Button{{Label: "Yes", Data: "y"}}
	d, err := channeltest.Send(t, ch, o)
	if err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	var joined []string
	for i, m := range all {
		for _, one := range append(m.Sections, m.Text) {
			if n := utf8.RuneCountInString(one); n > 8000 || !utf8.ValidString(one) || strings.ContainsAny(one, "<>") {
				t.Errorf("%d characters", n)
			}
		}
		joined = append(joined, plainly(strings.Join(m.Sections, "")))
		if (len(m.Buttons) > 0) != (i == len(all)-1) || !m.Quiet {
			t.Errorf("%d of %d has the buttons %+v", i, len(all), m.Buttons)
		}
	}
	if len(all) < 3 || strings.Join(strings.Fields(strings.Join(joined, " ")), " ") != strings.TrimSpace(o.Text) {
		t.Errorf("%d messages that are not the text", len(all))
	}
	if last := all[len(all)-1]; !strings.HasSuffix(d.ID, "/"+last.At) {
		t.Errorf("%s is not the last", d.ID)
	}
	if _, err := channeltest.Send(t, ch, to(owner, strings.Repeat("word ", 20_000))); err != nil || len(s.Sent()) < len(all)+28 {
		t.Errorf("100,000 characters are %d messages: %v", len(s.Sent())-len(all), err)
	}
	s2 := slacktest.Start(t)
	s2.FailAfter("chat.postMessage", 1, fault{Status: 429, RetryAfter: 1}, fault{Error: "msg_too_long"})
	_, err = channeltest.Send(t, made(t, s2, channel.Env{}), o)
	var no *tool.Refused
	if err == nil || errors.As(err, &no) || !strings.Contains(err.Error(), "1 of ") || len(s2.Sent()) != 1 {
		t.Errorf("%v after %d", err, len(s2.Sent()))
	}
}

func plainly(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}
