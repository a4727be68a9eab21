package ui_test

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// gallery holds a page for each part of the design system: every component in every state, in its real frame.
func gallery() map[string]templ.Component {
	return map[string]templ.Component{
		"parts":     in(layout.Shell(portal("Parts")), parts()...),
		"forms":     in(layout.Shell(portal("Forms", func(f *layout.Frame) { f.Failed = true })), forms()...),
		"approvals": in(layout.Shell(portal("Approvals")), approvals()...),
		"decided":   in(layout.Shell(portal("History")), history()...),
		"chat":      in(layout.Shell(portal("Chat", func(f *layout.Frame) { f.Fill = true })), conversation()...),
		"run":       in(layout.Shell(portal("Run")), run()...),
		"offline":   in(layout.Shell(portal("Home", away)), quiet()...),
		"admin":     in(layout.AdminShell(console()), orders()...),
		"public":    in(layout.PublicShell(front()), landing()...),
		"auth":      in(layout.AuthShell(layout.Auth{Title: "Sign in", Home: "/", Foot: []ui.Crumb{{Label: "Forgot your password?", Href: "/auth/forgot"}}}), signIn()...),
		"error":     layout.ErrorPage(layout.Failure{Status: 503, Title: "Your server does not answer", Text: "Nothing was changed. What you decided is kept and runs when it is back.", RequestID: "01934f5e-7c1a", Home: "/app", HomeLabel: "Back to the portal", Retry: "/app"}),
		"bare":      in(layout.BareShell("Receipt 46"), raw("<h1>Receipt 46</h1>"), ui.ReceiptTimeline(receipts(), ui.Chain{State: "broken", Detail: "Receipt 44 does not follow from 43."})),
	}
}

func parts() []templ.Component {
	return []templ.Component{
		in(ui.PageTop(ui.PageHead{Title: "Good afternoon", Lead: "Three things wait for you. Everything else is quiet.", Back: &ui.Crumb{Label: "All pages", Href: "/app"}}),
			raw(`<a class="btn" href="/app/activity">Activity</a><a class="btn primary" href="/app/chat">Talk to the team</a>`)),
		ui.Stats([]ui.Stat{{Label: "Waiting for you", Value: "3", Href: "/app/approvals", Kind: "warn"}, {Label: "Runs today", Value: "18", Hint: "16 proven"}, {Label: "Disk", Value: "42 %", Kind: "ok"}, {Label: "Last backup", Value: "not reported", Hint: "First one tonight, 02:00 UTC"}}),
		ui.Tabs("Views", []ui.Tab{{Label: "Waiting", Href: "#", Current: true, Count: "3"}, {Label: "History", Href: "#h"}, {Label: "Rules", Href: "#r"}}),
		group(raw(`<div class="grid-2">`),
			in(ui.PanelBox(ui.Panel{Title: "Your team", Hint: "3 agents", More: &ui.Crumb{Label: "All agents", Href: "/app/agents"}}), stack(ui.AgentName(dispatcher), ui.AgentName(itAdmin), ui.AgentName(secretary), ui.AgentName(ui.Agent{ID: "shop", Name: "Shop keeper", State: "off", Href: "/app/agents/shop"}))),
			in(ui.PanelBox(ui.Panel{Title: "Tiers"}), raw(`<div class="row">`), ui.TierBadge("green"), ui.TierBadge("yellow"), ui.TierBadge("yellow_external"), ui.TierBadge("red"), ui.TierBadge("critical_red"), ui.TierBadge("forbidden"), raw(`</div><div class="row">`),
				ui.TierGlyph("green"), ui.TierGlyph("yellow"), ui.TierGlyph("yellow_external"), ui.TierGlyph("red"), ui.TierGlyph("critical_red"), ui.TierGlyph("forbidden"), raw(`</div>`)),
			in(ui.PanelBox(ui.Panel{Title: "Server"}), ui.MeterBar(ui.Meter{Label: "Disk", Used: 42, Full: 100, Text: "33.6 GB of 80 GB"}), ui.MeterBar(ui.Meter{Label: "Memory", Used: 90, Full: 100, Text: "3.6 GB of 4 GB", Hint: "High since 12:40 UTC"}), ui.MeterBar(ui.Meter{Label: "Tokens", Used: 9, Full: 8, Text: "9 M of 8 M", Hint: "Overage since yesterday"}), ui.StaleMark(ago(time.Hour), "#again")),
			in(ui.PanelBox(ui.Panel{Title: "Facts"}), ui.KeyValue([]ui.Pair{{Name: "Heartbeat", View: ui.Time(ago(40 * time.Second))}, {Name: "Version", Value: "0.1.0", Code: true}, {Name: "Ordered", View: ui.At(ago(300 * time.Hour))}, {Name: "State", View: ui.Status("ok", "Running")}, {Name: "Backup", View: ui.Time(time.Time{})}}), raw(`<div class="row">`), ui.Badge("", "plain"), ui.Badge("ok", "verified"), ui.Badge("warn", "late"), ui.Badge("bad", "failed"), ui.Badge("accent", "new"), raw(`</div>`)),
			raw(`</div>`)),
		in(ui.Notice("info", "Your first backup runs tonight"), raw("<p>Nothing to do.</p>")), ui.Notice("ok", "Saved"), ui.Notice("warn", "The disk fills up in about 9 days"), ui.Notice("bad", "The mail server refused us"),
		ui.PanelFailed("The server's figures could not be read.", "#retry"),
		in(ui.PanelBox(ui.Panel{Title: "Loading"}), ui.LazyPanel(ui.Lazy{ID: "lazy", Href: "/never", Label: "Load", Lines: 4})),
		raw(`<div class="row"><button class="btn">Plain</button><button class="btn primary">Primary</button><button class="btn quiet">Quiet</button><button class="btn danger">Danger</button><button class="btn small">Small</button><button class="btn" disabled>Off</button>`), ui.OpenDialog("wipe", "/app/wipe", "Delete all…"), raw(`</div>`),
		ui.ConfirmDialog(ui.Confirm{ID: "wipe", Title: "Delete everything on this server?", Loses: []string{"All files, 33.6 GB", "All conversations"}, Phrase: "corner-bakery", Action: "/wipe", Do: "Delete for good", Cancel: "/app"}),
		ui.CodeBlock("Sign in from another machine", "ssh -L 8080:localhost:8080 server.example"),
		ui.Steps([]ui.Step{{Title: "Pay", Body: "By card, through the checkout."}, {Title: "We set up your server", Body: "Usually under two minutes."}, {Title: "Talk to the team"}}),
		ui.ToastItem(ui.Toast{Kind: "ok", Text: "Conversation archived.", Undo: &ui.Undo{Action: "/undo", Label: "Undo"}}),
	}
}

func forms() []templ.Component {
	problems := []ui.Problem{{Field: "email", Text: "Enter an e-mail address, such as name@example.com."}, {Field: "level", Text: "Choose how much the team may do alone."}}
	return []templ.Component{
		ui.PageTop(ui.PageHead{Title: "Your details"}),
		in(ui.FormBox(ui.Form{ID: "details", Action: "/form", Problems: problems, Partial: true}),
			ui.FieldBox(ui.Field{Name: "name", Label: "Your name", Required: true, Autocomplete: "name"}),
			ui.FieldBox(ui.Field{Name: "email", Label: "E-mail", Kind: "email", Value: "owner@", Error: problems[0].Text, Hint: "We send receipts here.", Required: true, Autocomplete: "email"}),
			ui.FieldBox(ui.Field{Name: "zone", Label: "Time zone", Kind: "select", Value: "Europe/Berlin", Options: []ui.Option{{Value: "UTC", Label: "UTC"}, {Value: "Europe/Berlin", Label: "Europe/Berlin"}}}),
			ui.FieldBox(ui.Field{Name: "note", Label: "Anything we should know", Kind: "textarea", Rows: 3}),
			ui.FieldBox(ui.Field{Name: "level", Label: "How much may the team do alone?", Kind: "radio", Value: "2", Error: problems[1].Text, Required: true, Options: []ui.Option{{Value: "1", Label: "Training wheels", Hint: "Every change asks."}, {Value: "2", Label: "Trusted assistant", Hint: "Changes run, deleting and sending ask."}, {Value: "3", Label: "Full autonomy", Hint: "Only what cannot be undone asks, and what goes outside."}}}),
			ui.FieldBox(ui.Field{Name: "terms", Label: "I have read the terms", Kind: "checkbox", Required: true}),
			raw(`<div class="row end"><a class="btn" href="/app">Cancel</a><button class="btn primary" type="submit">Save</button></div>`)),
	}
}

func approvals() []templ.Component {
	staff := approval("a6", "red")
	staff.Customer, staff.Form.ReasonRequired = "Corner Bakery", true
	return []templ.Component{
		ui.PageTop(ui.PageHead{Title: "Approvals", Lead: "Nothing below has run. Each waits for your answer until its time is up."}),
		stack(ui.ApprovalCard(outward("a1"), ui.Full), ui.ApprovalCard(change("a2"), ui.Full), ui.ApprovalCard(approval("a3", "red"), ui.Full), ui.ApprovalCard(critical("a4"), ui.Full), ui.ApprovalCard(approval("a5", "green"), ui.Full), ui.ApprovalCard(staff, ui.Full)),
	}
}

func history() []templ.Component {
	window := decided("b3", "allowed", "running")
	window.Decided.Window = 60
	denied := decided("b4", "denied", "none")
	denied.Decided.Reason = "Keep the ones of this year."
	expired := decided("b5", "expired", "none")
	expired.Decided = nil
	next := decided("b6", "superseded", "none")
	next.Next = &ui.Crumb{Label: "Open the request that replaced it", Href: "/app/approvals/b7"}
	failed := decided("b7", "allowed", "failed")
	failed.Note = "The file changed meanwhile. Nothing was deleted."
	return []templ.Component{
		ui.PageTop(ui.PageHead{Title: "Decided"}),
		stack(ui.ApprovalCard(decided("b1", "allowed", "done"), ui.Full), ui.ApprovalCard(decided("b2", "allowed", "queued"), ui.Full), ui.ApprovalCard(window, ui.Full), ui.ApprovalCard(denied, ui.Full), ui.ApprovalCard(expired, ui.Full), ui.ApprovalCard(next, ui.Full), ui.ApprovalCard(failed, ui.Full), ui.ApprovalCard(decided("b8", "withdrawn", "none"), ui.Full)),
	}
}

func conversation() []templ.Component {
	turns := []ui.Turn{
		{Run: "r1", Person: true, Who: "You", At: ago(20 * time.Minute), Text: "How full is the disk?"},
		{Run: "r1", Agent: dispatcher, At: ago(20 * time.Minute), State: "done", Proof: evidence("r1", "nothing_ran"), Flow: []templ.Component{
			ui.HandOffBox(ui.HandOff{Run: "r1a", From: dispatcher, To: itAdmin, Task: "Find out how full the disk is", State: "done", Open: true, Flow: []templ.Component{
				ui.ToolChip(ui.Chip{Call: "c1", Tool: "shell", Tier: "green", State: "done", Summary: "Looked at the disks", Took: 12 * time.Millisecond, Args: []ui.Arg{{Name: "command", Value: "df -h"}}, Result: "Filesystem  Size  Used Avail Use%\n/dev/vda1    80G   34G   46G  42%", Href: "#"}),
			}}),
			ui.Prose("<p>The disk is <strong>42 % full</strong>: 34 GB of 80 GB are used, 46 GB are free.</p><ul><li>At today's pace it lasts for about <code>14</code> months.</li><li>The largest folder is <code>photos/</code> with 21 GB.</li></ul>"),
		}},
		{Run: "r2", Person: true, Who: "You", At: ago(4 * time.Minute), Text: "Delete the old temporary files."},
		{Run: "r2", Agent: dispatcher, At: ago(4 * time.Minute), State: "parked", Flow: []templ.Component{
			ui.HandOffBox(ui.HandOff{Run: "r2a", From: dispatcher, To: itAdmin, Task: "Delete the old temporary files", State: "parked", Flow: []templ.Component{
				ui.ToolChip(ui.Chip{Call: "c2", Tool: "file_list", Tier: "green", State: "done", Summary: "Listed reports/old", Took: 3e6}),
				ui.ToolChip(ui.Chip{Call: "c3", Tool: "file_delete", Tier: "red", State: "asked", Summary: "Delete 14 files in reports/old"}),
				ui.ApprovalCard(approval("c3", "red"), ui.Inline),
			}}),
		}},
		{Run: "r3", Person: true, Who: "You", At: ago(2 * time.Minute), Text: "And tell the accountant."},
		{Run: "r3", Agent: secretary, At: ago(2 * time.Minute), State: "done", Doubt: "The answer says that something was sent. No receipt shows it.", Proof: evidence("r3", "not_proven"), Flow: []templ.Component{
			ui.ToolChip(ui.Chip{Call: "c4", Tool: "message", Tier: "yellow_external", State: "denied", Summary: "E-mail the accountant"}),
			ui.ToolChip(ui.Chip{Call: "c5", Tool: "shell", Tier: "red", State: "failed", Summary: "Run a command", Took: 1200 * time.Millisecond}),
			ui.ToolChip(ui.Chip{Call: "c6", Tool: "file_read", Tier: "green", State: "running", Summary: "Read notes/accountant.md"}),
			ui.Prose("<p>I told the accountant.</p>"),
		}},
		{Run: "r4", Agent: itAdmin, At: ago(time.Minute), State: "stopped", Flow: []templ.Component{ui.Prose("<p>A long answer that</p>")}},
		{Run: "r5", Agent: itAdmin, At: ago(time.Minute), State: "failed", Why: "The model's endpoint does not answer. Nothing was changed."},
		{Run: "r6", Agent: dispatcher, At: ago(10 * time.Second), State: "running", Tail: "<p>Let me look at</p>"},
	}
	return []templ.Component{
		raw(`<h1 class="sr">Chat</h1>`),
		ui.ChatThread(ui.Thread{Session: "s1", Label: "Conversation with the team", Turns: turns}),
		ui.ComposerBox(ui.Composer{Action: "/chat", Session: "s1", Agent: "dispatcher", Label: "Message to the team", Hint: "What should the team do?", Stop: "/stop/r6", Run: "r6"}),
	}
}

func run() []templ.Component {
	return []templ.Component{
		in(ui.PageTop(ui.PageHead{Title: "Delete the old temporary files", Back: &ui.Crumb{Label: "Activity", Href: "/app/activity"}, Lead: "Asked by owner@bakery.example, today at 12:52 UTC."}), ui.VerdictBadge("proven"), raw(`<button class="btn" data-print>Print</button>`)),
		group(raw(`<div class="with-aside"><div class="stack">`),
			in(ui.PanelBox(ui.Panel{Title: "Steps"}), ui.RunTree([]ui.Node{{ID: "n1", Title: "Dispatcher", Agent: &dispatcher, Kind: "ok", Word: "Finished", Took: "6 min", Below: []ui.Node{{ID: "n2", Title: "IT admin", Agent: &itAdmin, Kind: "ok", Word: "Finished", Took: "6 min", Below: []ui.Node{{ID: "n3", Title: "Listed reports/old", Tool: "file_list", Tier: "green", Kind: "ok", Word: "done", Took: "3 ms"}, {ID: "n4", Title: "Deleted 14 files", Tool: "file_delete", Tier: "red", Kind: "ok", Word: "done", Took: "80 ms", Href: "#n4"}}}}}})),
			in(ui.PanelBox(ui.Panel{Title: "Receipts"}), ui.ReceiptTimeline(receipts(), ui.Chain{State: "verified", Detail: "Receipts 41 to 46."})),
			raw(`</div><div class="stack">`),
			in(ui.PanelBox(ui.Panel{Title: "Verdicts"}), stack(ui.VerdictBadge("proven"), ui.VerdictBadge("partly_proven"), ui.VerdictBadge("nothing_ran"), ui.VerdictBadge("not_proven"), ui.VerdictBadge("contradicted"))),
			ui.ChainMark(ui.Chain{State: "unchecked"}), ui.ChainMark(ui.Chain{State: "broken", Detail: "Receipt 44 does not follow from 43."}),
			raw(`</div></div>`)),
	}
}

func away(f *layout.Frame) {
	f.Stream, f.Rehearsal = "/stream/refused", false
	f.Offline = &ui.Offline{Since: ago(12 * time.Minute), Works: []string{"You can read what is shown below, as of 12:50 UTC.", "You can decide; it runs when the server is back."}, Waits: []string{"Messages are kept sealed and delivered then."}, Reload: "/app"}
	f.Toasts = []ui.Toast{{Kind: "ok", Text: "Saved."}}
}

func quiet() []templ.Component {
	return []templ.Component{
		ui.PageTop(ui.PageHead{Title: "Home"}),
		in(ui.PanelBox(ui.Panel{Title: "Needs you"}), ui.EmptyState(ui.Empty{Kind: "done", Title: "Nothing waits for you", Body: "You decided 7 things this week. What is asked often can be ruled once."})),
		in(ui.PanelBox(ui.Panel{Title: "Conversations"}), ui.EmptyState(ui.Empty{Kind: "new", Title: "No conversation yet", Body: "Ask how full the disk is; it is harmless.", Action: &ui.Crumb{Label: "Talk to the team", Href: "/app/chat"}})),
		in(ui.PanelBox(ui.Panel{Title: "Staff"}), ui.EmptyState(ui.Empty{Kind: "noperm", Title: "You may not see this", Body: "The owner of this business can give you the right to."})),
	}
}

func console() layout.Frame {
	return layout.Frame{
		Title: "Orders", User: layout.User{Name: "staff@gatehouse.example", Of: "Gatehouse staff"}, Home: "/admin", Stream: "/stream/quiet", SignOut: "/admin/auth/sign-out", SignIn: "/admin/auth/sign-in", Wide: true,
		Band: &layout.Band{Customer: "Corner Bakery", Reason: "ticket 4711", Until: "14:00 UTC"},
		Nav:  []ui.NavItem{{Label: "Overview", Href: "/admin", Icon: "home", ID: "a-home"}, {Label: "Orders", Href: "/admin/orders", Icon: "file", ID: "a-orders", Key: "o", Badge: 120}, {Label: "Servers", Href: "/admin/servers", Icon: "server", ID: "a-servers", Key: "s"}, {Label: "Customers", Href: "/admin/customers", Icon: "team", ID: "a-customers"}, {Label: "Approvals", Href: "/admin/approvals", Icon: "hand", ID: "a-approvals", Group: "Across customers"}},
	}
}

func orders() []templ.Component {
	var rows []ui.Row
	for i, state := range []string{"Provisioning", "Ready", "Failed", "Waits for a server"} {
		kind := []string{"busy", "ok", "bad", "warn"}[i]
		rows = append(rows, ui.Row{ID: "order-" + state, Kind: map[string]string{"bad": "bad", "warn": "warn"}[kind], Cells: []templ.Component{
			ui.Link("/admin/orders/1", "Order 10"+string(rune('1'+i))), ui.Text("Corner Bakery"), ui.Status(kind, state), ui.Time(ago(time.Duration(i+1) * time.Hour)), ui.Text("€29"),
		}})
	}
	table := ui.Table{
		ID: "orders", Caption: "Orders", Path: "/admin/orders", Query: url.Values{"sort": {"-created"}}, Sort: "-created", Rows: rows,
		Search: &ui.Search{Label: "Search orders"}, Filters: []ui.Filter{{Name: "state", Label: "State", Options: []ui.Option{{Value: "", Label: "All"}, {Value: "failed", Label: "Failed"}}}},
		Cols:  []ui.Col{{Label: "Order", Main: true, Sort: "number"}, {Label: "Customer", Sort: "customer"}, {Label: "State"}, {Label: "Since", Sort: "created"}, {Label: "Price", Num: true}},
		Pager: ui.Pager{Prev: "?before=1", Next: "?after=4", Text: "41 to 44 of 1,204"},
	}
	none := table
	none.ID, none.Rows, none.Search = "none", nil, &ui.Search{Label: "Search servers", Value: "zzz"}
	none.Empty = ui.Empty{Kind: "nomatch", Title: "No server matches “zzz”"}
	return []templ.Component{
		ui.PageTop(ui.PageHead{Title: "Orders"}),
		in(ui.PanelBox(ui.Panel{Title: "All orders", Flush: true}), ui.DataTable(table)),
		group(raw(`<div class="with-aside">`),
			ui.LogViewer(ui.Log{ID: "prov", Label: "Provisioning", Live: true, First: "12:58:14 registration refused: token used", Lines: []ui.LogLine{{N: 1, At: ago(5 * time.Minute), Text: "make folders"}, {N: 2, At: ago(4 * time.Minute), Level: "warn", Text: "port 8081 is taken, trying another"}, {N: 3, At: ago(3 * time.Minute), Level: "error", Text: "registration refused: token used"}}}),
			in(ui.PanelBox(ui.Panel{Title: "Progress"}), ui.StateStepper("stepper", "Order 101", []ui.Stage{{Name: "Paid", State: "done", At: ago(time.Hour), Actor: "checkout"}, {Name: "Server found", State: "done", At: ago(50 * time.Minute)}, {Name: "Setting up", State: "now", Hint: "Usually under two minutes"}, {Name: "Names", State: "failed", Hint: "No answer from the name server"}, {Name: "Keys", State: "blocked"}, {Name: "Ready", State: "ahead"}})),
			raw(`</div>`)),
		in(ui.PanelBox(ui.Panel{Title: "Servers", Flush: true}), ui.DataTable(none)),
		ui.LogViewer(ui.Log{ID: "empty", Label: "Log of server 2"}),
	}
}

func front() layout.Public {
	return layout.Public{Title: "Your own AI staff, behind a gate", SignIn: "/auth/sign-in", Start: &ui.Crumb{Label: "See plans", Href: "/pricing"}, Nav: []ui.Crumb{{Label: "Pricing", Href: "/pricing"}, {Label: "Security", Href: "/security"}}, Footer: []ui.Crumb{{Label: "Terms", Href: "/legal/terms"}, {Label: "Status", Href: "/status"}}}
}

func landing() []templ.Component {
	return []templ.Component{
		ui.PageTop(ui.PageHead{Title: "A team of your own that asks before it acts", Lead: "AI agents on your own server. Each act passes a gate, each act leaves a receipt."}),
		group(raw(`<div class="grid-3">`), raw(`<div class="card"><h2>Looks</h2><p>Reading runs at once.</p></div><div class="card"><h2>Changes</h2><p>Inside, by your level.</p></div><div class="card"><h2>Outside</h2><p>Waits for you.</p></div>`), raw(`</div>`)),
		ui.ApprovalCard(outward("p1"), ui.Full),
	}
}

func signIn() []templ.Component {
	return []templ.Component{
		raw("<h1>Sign in</h1>"),
		in(ui.FormBox(ui.Form{ID: "sign-in", Action: "/auth/sign-in"}),
			ui.FieldBox(ui.Field{Name: "email", Label: "E-mail", Kind: "email", Required: true, Autocomplete: "username"}),
			ui.FieldBox(ui.Field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password"}),
			raw(`<button class="btn primary" type="submit">Sign in</button>`)),
	}
}
