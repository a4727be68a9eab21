package ui_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/phrase"
	rules "gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// call is one request as a server asks it: args are what the tool takes, facts what it measures.
type call struct {
	tool  string
	args  any
	facts []string
	diff  *wire.Diff
	worst bool // content from outside stands behind it, and the guardian has doubts
}

// calls are the requests that a card has to fit: each tool that exists and, where one can be long, as long as it gets in a small
// business and more.
func calls() []call {
	all := append(fileCalls(), outwardCalls()...)
	all = append(all, settingCalls()...)
	return append(
		all,
		call{tool: "shell", args: rules.ShellArgs{Command: "rm -r reports/old"}},
		call{tool: "shell", args: rules.ShellArgs{Command: lines(60, "mv shop/orders/2026/*.csv archive/orders && ls")}, worst: true},
		call{tool: "agent_dispatch", args: rules.DispatchArgs{
			Target: "secretary", Task: lines(20, "Write to each of the cafés of the old town."), Context: lines(20, "It rains."),
		}},
	)
}

// long is a path that does not fit a line.
const long = "shop/orders/2026/november/wholesale/deliveries-to-the-cafes-of-the-old-town.csv"

func fileCalls() []call {
	var old []string
	for i := range 100 {
		old = append(old, fmt.Sprintf("reports/old/report-of-day-%03d.csv", i))
	}
	return []call{
		{tool: "file_list", args: rules.FileListArgs{Path: long}},
		{tool: "file_read", args: rules.FileReadArgs{Path: long}},
		{tool: "file_write", args: rules.FileWriteArgs{Path: "notes/hours.md", Content: "x"}, diff: changed("notes/hours.md", 2)},
		{tool: "file_write", args: rules.FileWriteArgs{Path: long, Content: "x"}, diff: changed(long, 150), worst: true},
		{tool: "file_restore", args: rules.FileRestoreArgs{Path: long, Call: "019a7e1c-6a55-7cc1", Anyway: true}, diff: changed(long, 150)},
		{
			tool: "file_delete", args: rules.FileDeleteArgs{Path: "reports/old/*.csv"},
			facts: []string{"3 files: " + strings.Join(old[:3], ", "), "3.4 MB"},
		},
		{
			tool: "file_delete", args: rules.FileDeleteArgs{Path: long + "/**/*.csv"}, worst: true,
			facts: []string{"100 files: " + strings.Join(old, ", "), "3.4 MB", "14 folders"},
		},
		{ // cannot be undone, so that the person is asked who they are
			tool: "file_delete", args: rules.FileDeleteArgs{Path: "*"}, facts: []string{"100 files: " + strings.Join(old, ", "), "3.4 MB"},
		},
	}
}

func outwardCalls() []call {
	letter := lines(100, "From Monday on we open at nine in the morning, and close at six in the evening.")
	mail := func(to, subject string) call {
		facts := []string{"1 recipient: " + to, "from bakery@example.com", "1500 words"}
		return call{tool: "message", args: rules.MessageArgs{To: to, Subject: subject, Text: letter}, facts: facts}
	}
	short := mail("someone@example.com", "We open at nine")
	answer := rules.MessageArgs{To: "someone@example.com", Subject: "Re: Opening hours", Text: letter}
	far := mail(
		"the.wholesale.department.of.a.customer@a-very-long-name.example.com",
		"About the delivery to the cafés of the old town, which was to come on Monday and will now come on Tuesday",
	)
	far.worst = true
	const blog = "https://blog.example.com/ghost/api/admin/posts/"
	post := `{"title": "We open at nine", "html": ` + strconv.Quote(lines(40, "<p>From Monday on we open at nine.</p>")) + `}`
	return []call{
		short, far,
		{tool: "channel_send", args: answer, facts: []string{"1 recipient: someone@example.com", "1500 words"}},
		{
			tool: "http_request", args: rules.HTTPArgs{Method: "POST", URL: blog, Tool: "ghost", Body: post}, worst: true,
			facts: []string{"to https://blog.example.com:443", "1.6 kB of body"},
		},
		{
			tool: "http_request", args: rules.HTTPArgs{Method: "DELETE", URL: blog + "1/", Tool: "ghost"},
			facts: []string{"to https://blog.example.com:443"},
		},
	}
}

func settingCalls() []call {
	updates := map[string]string{}
	for i := range 12 {
		updates[fmt.Sprintf("SMTP_SETTING_%d", i)] = "a value of a few words"
	}
	return []call{
		{tool: "env_read", args: rules.EnvReadArgs{Path: "shop/.env", Keys: []string{"SMTP_HOST", "SMTP_PORT"}}},
		{
			tool: "env_update", args: rules.EnvUpdateArgs{Path: "shop/.env", Updates: updates},
			facts: []string{"12 settings"}, diff: changed("shop/.env", 12),
		},
		{tool: "get_credential", args: rules.GetCredentialArgs{Service: "ghost", Key: "admin_key"}},
		{tool: "generate_credential", args: rules.GenerateCredentialArgs{
			Service: "shop", Key: "database_password", Constraints: json.RawMessage(`{"length":40,"classes":["lower","upper","digit"]}`),
		}},
		{tool: "subagent_spawn", args: rules.SubagentSpawnArgs{
			Task: lines(20, "Count the invoices of the cafés."), Agent: "secretary",
		}, worst: true},
		{tool: "team_report", args: rules.TeamReportArgs{Hours: 14}},
		{tool: "subagent_check", args: rules.SubagentCheckArgs{IDs: []string{"019a7e1c-6a55-7cc1"}, Wait: true}},
		{tool: "subagent_stop", args: rules.SubagentStopArgs{ID: "019a7e1c-6a55-7cc1"}},
		{tool: "schedule_create", args: rules.ScheduleCreateArgs{
			When: "every Monday at 8", Task: lines(20, "Tell me how full the disk is."), Title: "The disk on Mondays",
		}, worst: true},
		{tool: "schedule_list", args: rules.ScheduleListArgs{Query: "disk"}},
		{tool: "schedule_update", args: rules.ScheduleUpdateArgs{ID: "019a7e1c-6a55-7cc1", When: "every Tuesday at 8"}},
		{
			tool: "attach", args: rules.AttachArgs{Path: "offers/offer.pdf"},
			facts: []string{"3.4 MB", "SHA-256 " + strings.Repeat("ab", 32)},
		},
		{tool: "schedule_delete", args: rules.ScheduleDeleteArgs{ID: "019a7e1c-6a55-7cc1"}},
		{tool: "memory_search", args: rules.MemorySearchArgs{Query: "opening hours of the café"}},
		{tool: "memory_get", args: rules.MemoryGetArgs{ID: "019a7e1c-6a55-7cc1"}},
		{tool: "memory_write", args: rules.MemoryWriteArgs{Text: lines(20, "The café opens at nine."), Kind: "team"}, worst: true},
		{tool: "rotate_credential", args: rules.RotateCredentialArgs{SecretID: "ghost.admin_key"}},
	}
}

// lines are n lines of text.
func lines(n int, line string) string { return strings.TrimSuffix(strings.Repeat(line+"\n", n), "\n") }

// changed is a diff of n lines, as a server makes it.
func changed(path string, n int) *wire.Diff {
	var b strings.Builder
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n", path, path, n, n)
	for i := range n {
		fmt.Fprintf(&b, "-SETTING_%d=the value that it had before\n+SETTING_%d=the value that it has from now on\n", i, i)
	}
	return &wire.Diff{Path: path, Unified: b.String(), Added: n, Removed: n}
}

// asked is a call as the server asks for it: judged by the rules of servers, with all that can be said of it.
func (c call) asked(t *testing.T, id string) wire.Approval {
	t.Helper()
	raw, err := json.Marshal(c.args)
	if err != nil {
		t.Fatal(err)
	}
	args, err := canonical.JSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	class := rules.Classify(c.tool, raw, rules.Env{Tools: []rules.Registered{{Tool: "ghost", Bases: []string{"https://blog.example.com"}}}})
	if c.tool == "channel_send" { // the tool itself says what its calls are: they are about rows of its outbox
		class = rules.Class{Tier: rules.YellowExternal, Action: "channel.message.send", Says: "Answer someone@example.com by e-mail"}
	}
	if class.Tier == rules.Forbidden {
		t.Fatalf("%s is never asked: %s", c.tool, class.Why)
	}
	a := wire.Approval{
		ID: id, Code: "K7Q2MX", RunID: "r1", RootRunID: "r1", SessionID: "s1", Agent: "it-admin", Tool: c.tool, Action: class.Action,
		Args: raw, ArgsHash: canonical.Sum(args), Tier: string(class.Tier), Summary: class.Says, Diff: c.diff,
		Reason:   "You asked to tell the cafés, and to put away what is old. None of these files was read this year.",
		WhyAsked: "it changes something, and this agent asks before every change", Windows: []int{15, 60, 480},
		Destination: "someone@example.com", State: wire.ApprovalPending, Execution: wire.ExecNone, CreatedAt: now,
		ExpiresAt: now.Add(23*time.Hour + 12*time.Minute), Guardian: &wire.Judgement{Verdict: "allow", Reason: "It is what was asked."},
	}
	if class.Tier == rules.Green { // a rule of the owner asks
		a.Tier, a.WhyAsked = string(rules.Yellow), "the rule what-the-owner-wants-to-see says ask (I want to see each of these myself)"
	}
	if c.worst {
		a.WhyAsked = "it reaches someone whom the owner did not name, and content from outside stands behind it"
		a.Taint = []wire.TaintSource{{Source: "mail from someone@example.com"}, {Source: "http_request"}}
		a.Guardian = &wire.Judgement{Verdict: "escalate", Reason: "Nobody has named this recipient, and it repeats words from outside."}
	}
	a.Facts = c.measured()
	a.Digest, a.Locales = wire.DigestOf(a), spoken(a)
	return a
}

func (c call) measured() (all []wire.Fact) {
	for _, text := range c.facts {
		f := wire.Fact{Text: text}
		if strings.HasPrefix(text, "from ") {
			f.Name = "senders"
		}
		all = append(all, f)
	}
	return all
}

// spoken is what the server says of it in the other languages.
func spoken(a wire.Approval) wire.Locals {
	all := wire.Locals{}
	for _, locale := range phrase.Locales {
		book := phrase.Card(locale)
		say := func(english string) string { said, _ := book.Say(english); return said }
		l := wire.Local{Summary: say(a.Summary), WhyAsked: say(a.WhyAsked)}
		for _, f := range a.Facts {
			l.Facts = append(l.Facts, say(f.Text))
		}
		all[locale] = l
	}
	return all
}
