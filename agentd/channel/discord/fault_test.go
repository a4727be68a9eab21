package discord_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/discord"
	"gatehouse/agentd/channel/discord/discordtest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/secret"
)

// trouble fails unless an error is one that people read, and says whether a person has to do something.
func trouble(t *testing.T, s *discordtest.Server, err error, want string) (hard bool) {
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

// TestRun_faults: every bad answer at the start ends in words, and what was written meanwhile comes once it is over.
func TestRun_faults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		route string
		fault discordtest.Fault
		want  string
		hard  bool
	}{
		"not known":        {discordtest.RouteMe, discordtest.Fault{Status: 401}, "does not accept the token", true},
		"broken":           {discordtest.RouteMe, discordtest.Fault{Status: 500}, "no answer that can be read", false},
		"cut off":          {discordtest.RouteMe, discordtest.Fault{Cut: true}, "no answer that can be read", false},
		"silence":          {discordtest.RouteMe, discordtest.Fault{Hang: true}, "cannot be reached", false},
		"another's":        {discordtest.RouteMe, discordtest.Fault{Garbage: true}, "no answer that can be read", false},
		"wait":             {discordtest.RouteMe, discordtest.Fault{Status: 429, RetryAfter: 3600}, "asks to wait", false},
		"gateway broken":   {discordtest.RouteGateway, discordtest.Fault{Status: 500}, "no answer that can be read", false},
		"gateway silence":  {discordtest.RouteGateway, discordtest.Fault{Hang: true}, "cannot be reached", false},
		"chats are broken": {discordtest.RouteMessages, discordtest.Fault{Status: 500}, "no answer that can be read", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t)
			first := run(t, s, channel.Env{}).Ready(t)
			s.Says(owner, "First")
			first.Waits(t, 1)
			first.Stop()
			s.Forget()
			s.Says(owner, "Meanwhile")
			s.Fail(c.route, c.fault)
			r := run(t, s, channel.Env{Cursor: first.At()})
			if hard := trouble(t, s, r.End(t), c.want); hard != c.hard {
				t.Errorf("hard is %v", hard)
			}
			again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
			s.Says(owner, "Later")
			if all := texts(again.Waits(t, 2)); len(all) != 2 || all[0] != "Meanwhile" || all[1] != "Later" {
				t.Errorf("%q", all)
			}
		})
	}
}

// TestRun_codes: what Discord ends a connection for is said in words, where a person has to do something.
func TestRun_codes(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{4004: "does not accept the token", 4014: "does not let the bot read"} {
		s := discordtest.Start(t)
		r := run(t, s, channel.Env{}).Ready(t)
		s.Close(code)
		if !trouble(t, s, r.End(t), want) {
			t.Errorf("%d: trying again helps", code)
		}
	}
	s := discordtest.Start(t)
	s.Left(0)
	if !trouble(t, s, run(t, s, channel.Env{}).End(t), "connected too often") {
		t.Error("trying again helps")
	}
}

// TestRevoked: a token that is taken back while the bot runs is said in words, by the run, the check and the answer.
func TestRevoked(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
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
	s := discordtest.Start(t)
	kept := func(token string) channel.Env {
		return channel.Env{Password: func(context.Context) (secret.Value, error) { return secret.New(token), nil }}
	}
	checks := func(what, want string, e channel.Env) {
		t.Helper()
		if reads, _ := made(t, s, e).Check(t.Context()); want == "" && reads != "" || !strings.Contains(reads, want) {
			t.Errorf("%s: %q", what, reads)
		}
	}
	checks("all is well", "", channel.Env{})
	checks("none", "no token", kept(""))
	checks("another bot", "another bot", kept("NQ.x.x"))
	checks("a wrong one", "does not accept", kept(discordtest.Account+".x.x"))
	checks("no token at all", "does not accept", kept(discordtest.Account+".x x\n.x"))
	s.Fail(discordtest.RouteMe, discordtest.Fault{Hang: true})
	checks("silence", "cannot be reached", channel.Env{})
	s.Left(0)
	checks("too often", "too often", channel.Env{})
	if _, err := discord.Kind().Make(channel.Settings{}, channel.Env{}); err == nil {
		t.Error("settings without a bot are taken")
	}
}

// TestSend_faults: what Discord has not taken is said; of what is open the repeat is known by its nonce, so it is there once; and only
// what stays open is of unknown outcome.
func TestSend_faults(t *testing.T) {
	t.Parallel()
	const (
		sure    = "nothing was sent, and it is said why"
		later   = "nothing was sent, and it is tried when Discord asks for it"
		unknown = "nobody knows"
		fine    = "it was sent"
	)
	type fault = discordtest.Fault
	for name, c := range map[string]struct {
		faults []fault
		want   string
		sent   int
		calls  int
	}{
		"refused":                    {[]fault{{Status: 400}}, sure, 0, 1},
		"blocked by the person":      {[]fault{{Status: 403, Code: 50007}}, sure, 0, 1},
		"no right":                   {[]fault{{Status: 403, Code: 50001}}, sure, 0, 1},
		"gone":                       {[]fault{{Status: 404, Code: 10003}}, sure, 0, 1},
		"token taken back":           {[]fault{{Status: 401}}, sure, 0, 1},
		"too many":                   {[]fault{{Status: 429, RetryAfter: 17}}, later, 0, 1},
		"broken":                     {[]fault{{Status: 500}}, fine, 1, 2},
		"broken after it was taken":  {[]fault{{Status: 500, Done: true}}, fine, 1, 2},
		"cut off after it was taken": {[]fault{{Cut: true, Done: true}}, fine, 1, 2},
		"silence":                    {[]fault{{Hang: true}}, fine, 1, 2},
		"silence after it was taken": {[]fault{{Hang: true, Done: true}}, fine, 1, 2},
		"a proxy in between":         {[]fault{{Garbage: true, Done: true}}, fine, 1, 2},
		"open, then too many":        {[]fault{{Status: 500, Done: true}, {Status: 429, RetryAfter: 0.1}}, fine, 1, 3},
		"open, then a long wait":     {[]fault{{Status: 500, Done: true}, {Status: 429, RetryAfter: 60}}, unknown, 1, 2},
		"open, then refused":         {[]fault{{Cut: true, Done: true}, {Status: 401}}, unknown, 1, 2},
		"open for good":              {[]fault{{Status: 500, Done: true}, {Status: 500}, {Garbage: true}}, unknown, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t)
			ch := made(t, s, channel.Env{})
			s.Fail(discordtest.RouteSend, c.faults...)
			_, err := channeltest.Send(t, ch, to(owner, "Hello"))
			got := unknown
			var no *tool.Refused
			var wait *channel.Later
			switch {
			case err == nil:
				got = fine
			case errors.As(err, &no):
				got = sure
			case errors.As(err, &wait):
				got = later
				if wait.After != 17*time.Second {
					t.Errorf("after %s", wait.After)
				}
			}
			if got != c.want || len(s.Sent()) != c.sent || s.Calls(discordtest.RouteSend) != c.calls {
				t.Errorf("%s (%v), %d sent in %d calls", got, err, len(s.Sent()), s.Calls(discordtest.RouteSend))
			}
			if err != nil && strings.Contains(err.Error(), s.Token()) {
				t.Errorf("the token is in %v", err)
			}
		})
	}
}

// TestSend_twice: a message that is sent once more, as by a process that was killed before it knew of the first, is there once.
func TestSend_twice(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	o := to(owner, "Hello")
	var ids []string
	for range 2 {
		d, err := channeltest.Send(t, made(t, s, channel.Env{}), o)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	if len(s.Sent()) != 1 || ids[0] != ids[1] {
		t.Errorf("%q, %d sent", ids, len(s.Sent()))
	}
}

// TestSend_chat: a private chat that cannot be opened is a message that was not sent.
func TestSend_chat(t *testing.T) {
	t.Parallel()
	for _, f := range []discordtest.Fault{{Status: 400}, {Status: 500}, {Hang: true}, {Cut: true}, {Garbage: true}} {
		s := discordtest.Start(t)
		s.Fail(discordtest.RouteOpen, f)
		_, err := channeltest.Send(t, made(t, s, channel.Env{}), to(owner, "Hello"))
		var no *tool.Refused
		if !errors.As(err, &no) || s.Calls(discordtest.RouteSend) != 0 {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// TestSend_quiet: while Discord asks to wait, nothing more is sent to it.
func TestSend_quiet(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Fail(discordtest.RouteSend, discordtest.Fault{Status: 429, RetryAfter: 60})
	for range 3 {
		var wait *channel.Later
		if _, err := channeltest.Send(t, ch, to(owner, "Hello")); !errors.As(err, &wait) {
			t.Fatal(err)
		}
	}
	if n := s.Calls(discordtest.RouteSend); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestSend_away: a server that is not there has got nothing.
func TestSend_away(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	ch := made(t, s, channel.Env{})
	s.Stop()
	_, err := channeltest.Send(t, ch, to(owner, "Hello"))
	var no *tool.Refused
	if !errors.As(err, &no) || !strings.Contains(no.Text, "cannot be reached") {
		t.Error(err)
	}
}

// TestSend_long: a long answer is several messages, none too long, with every word, sign and link whole, and the buttons beneath the last.
// One that breaks off in the middle is of unknown outcome; what Discord asks to wait in between is waited.
func TestSend_long(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	ch := made(t, s, channel.Env{})
	o := to(owner, strings.Repeat("👩‍👩‍👧‍👦 שלום https://example.com/a?b=c ", 300))
	o.Buttons = []channel.Button{{Label: "Yes", Data: "y"}}
	d, err := channeltest.Send(t, ch, o)
	if err != nil {
		t.Fatal(err)
	}
	all := s.Sent()
	var joined []string
	for i, m := range all {
		joined = append(joined, m.Text)
		if n := utf8.RuneCountInString(m.Text); n > 2000 || !utf8.ValidString(m.Text) {
			t.Errorf("%d characters", n)
		}
		if (len(m.Rows) > 0) != (i == len(all)-1) || !m.Quiet {
			t.Errorf("%d of %d has the buttons %+v", i, len(all), m.Rows)
		}
	}
	if len(all) < 3 || strings.Join(strings.Fields(strings.Join(joined, " ")), " ") != strings.TrimSpace(o.Text) {
		t.Errorf("%d messages that are not the text", len(all))
	}
	if last := all[len(all)-1]; !strings.HasSuffix(d.ID, "/"+last.ID) {
		t.Errorf("%s is not the last", d.ID)
	}
	s2 := discordtest.Start(t)
	s2.FailAfter(discordtest.RouteSend, 1, discordtest.Fault{Status: 429, RetryAfter: 0.1}, discordtest.Fault{Status: 400})
	_, err = channeltest.Send(t, made(t, s2, channel.Env{}), o)
	var no *tool.Refused
	if err == nil || errors.As(err, &no) || !strings.Contains(err.Error(), "1 of ") || len(s2.Sent()) != 1 {
		t.Errorf("%v after %d", err, len(s2.Sent()))
	}
}

// TestTyping: it is shown that an answer is being written.
func TestTyping(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	typer, is := made(t, s, channel.Env{}).(channel.Typer)
	if !is {
		t.Fatal("it cannot be shown")
	}
	typer.Typing(t.Context(), owner.ID)
	if s.Calls(discordtest.RouteTyping) != 1 {
		t.Error("not shown")
	}
}
