package ui_test

import (
	"context"
	"io"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// now is the moment that the gallery shows: today, as the script goes on from there.
var now = time.Now().UTC().Truncate(time.Second)

func ago(d time.Duration) time.Time { return now.Add(-d) }

var (
	dispatcher = ui.Agent{ID: "dispatcher", Name: "Dispatcher", Role: "Hands work to the right person", State: "idle"}
	itAdmin    = ui.Agent{ID: "it-admin", Name: "IT admin", Role: "Looks after the server", State: "working"}
	secretary  = ui.Agent{ID: "secretary", Name: "Secretary", Role: "Writes and keeps notes", State: "waiting"}
)

// in puts children into a component that takes them.
func in(parent templ.Component, children ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return parent.Render(templ.WithChildren(ctx, group(children...)), w)
	})
}

func group(parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		for _, p := range parts {
			if err := p.Render(templ.ClearChildren(ctx), w); err != nil {
				return err
			}
		}
		return nil
	})
}

func raw(html string) templ.Component { return templ.Raw(html) }

func stack(parts ...templ.Component) templ.Component {
	return group(raw(`<div class="stack">`), group(parts...), raw(`</div>`))
}

func portalNav() []ui.NavItem {
	return []ui.NavItem{
		{Label: "Home", Href: "/app", Icon: "home", Key: "h", ID: "home"},
		{Label: "Chat", Href: "/app/chat", Icon: "chat", Key: "c", ID: "chat"},
		{Label: "Approvals", Href: "/app/approvals", Icon: "hand", Key: "a", ID: "approvals", Badge: 3},
		{Label: "Activity", Href: "/app/activity", Icon: "activity", Key: "r", ID: "activity"},
		{Label: "Team", Href: "/app/agents", Icon: "team", Key: "t", ID: "team"},
		{Label: "Conversations", Href: "/app/conversations", Icon: "clock", ID: "talks"},
		{Label: "Server", Href: "/app/server", Icon: "server", ID: "server"},
	}
}

func portal(title string, change ...func(*layout.Frame)) layout.Frame {
	f := layout.Frame{
		Title: title, User: layout.User{Name: "owner@bakery.example", Of: "Corner Bakery"}, Nav: portalNav(), Home: "/app",
		Stream: "/stream/quiet", SignOut: "/auth/sign-out", SignIn: "/auth/sign-in", Account: "/app/settings", Rehearsal: true,
	}
	for _, c := range change {
		c(&f)
	}
	return f
}

func approval(id, tier string) ui.Approval {
	return ui.Approval{
		ID: id, Code: "K7Q2MX", Tier: tier, Agent: itAdmin, Asks: "Delete 14 files in reports/old", Href: "/app/approvals/" + id,
		Facts:  []ui.Fact{{Value: "14", Name: "files"}, {Value: "3.4 MB", Name: "in all"}, {Value: "212 d", Name: "oldest"}},
		Reason: "You asked to delete the old temporary files.", WhyAsked: "Deleting always asks at level 2.", Method: "file_delete",
		Args:    []ui.Arg{{Name: "path", Value: "reports/old"}, {Name: "recursive", Value: "true"}},
		Ignored: "If you do nothing: not deleted, and the IT admin is told.", ExpiresAt: now.Add(23*time.Hour + 12*time.Minute), State: "pending",
		Form: &ui.DecisionForm{
			Action: "/decide/" + id, Digest: "0f3a", EditHref: "/app/approvals/" + id + "/edit", Windows: []int{15, 60, 480},
			Always: "/app/permissions?from=" + id + "#rules",
		},
	}
}

func outward(id string) ui.Approval {
	a := approval(id, "yellow_external")
	a.Agent, a.Asks, a.Method = secretary, "Send 1 e-mail to someone@example.com", "message"
	a.Facts = []ui.Fact{{Value: "1", Name: "recipient, outside the business"}}
	a.Reason, a.WhyAsked = "You asked: “tell them that we open at nine”.", "Whatever leaves the business asks, at every level, until you unlock it."
	a.Args = []ui.Arg{{Name: "to", Value: "someone@example.com"}, {Name: "subject", Value: "We open at nine"}}
	a.Draft = &ui.Draft{To: "someone@example.com", Subject: "We open at nine", Body: "Hello,\n\nfrom Monday on we open at nine in the morning.\n\nKind regards\nCorner Bakery"}
	a.Checks = []string{"This address was never written to before."}
	a.Ignored = "If you do nothing: not sent, and the secretary is told tomorrow at 14:14."
	return a
}

func change(id string) ui.Approval {
	a := approval(id, "yellow")
	a.Agent, a.Asks, a.Method, a.Facts = secretary, "Change notes/opening-hours.md", "file_write", nil
	a.Reason, a.WhyAsked = "You asked to note the new opening hours.", "The secretary stands at level 1: every change asks."
	a.Args = []ui.Arg{{Name: "path", Value: "notes/opening-hours.md"}}
	a.Files = []ui.DiffFile{{Path: "notes/opening-hours.md", Added: 2, Deleted: 1, Hunks: ui.ParseUnified(
		"--- a/notes/opening-hours.md\n+++ b/notes/opening-hours.md\n@@ -1,4 +1,5 @@\n # Opening hours\n \n-Monday to Friday: 8 to 18\n+Monday to Friday: 9 to 18\n+Saturday: 9 to 13\n Sunday: closed\n")}}
	return a
}

func critical(id string) ui.Approval {
	a := approval(id, "critical_red")
	a.Asks, a.Method = "Remove the backup of 3 November for good", "shell"
	a.Args = []ui.Arg{{Name: "command", Value: "rm -rf backups/2026-11-03"}}
	a.Form.Always = "" // each is asked
	a.Form.Windows, a.Form.OnceOnly = nil, "What cannot be undone is allowed once only."
	// From the moment at which it is drawn: the page goes by its own clock, and the first of these tests may be long over.
	a.ExpiresAt = time.Now().UTC().Truncate(time.Second).Add(4 * time.Minute)
	return a
}

func decided(id, state, execution string) ui.Approval {
	a := approval(id, "red")
	a.State, a.Execution, a.Form, a.Args, a.Facts, a.Reason, a.WhyAsked = state, execution, nil, nil, nil, "", ""
	a.Decided = &ui.Decision{By: "owner@bakery.example", Where: "portal", At: ago(3 * time.Minute)}
	return a
}

func receipts() []ui.Receipt {
	kinds := []struct{ kind, says, took string }{
		{"call.requested", "IT admin wants to delete 14 files in reports/old", ""},
		{"call.classified", "Deletes 14 files, 3.4 MB", ""},
		{"call.asked", "Level 2: deleting asks", ""},
		{"call.approved", "owner@bakery.example, portal, once", "2 min 5 s"},
		{"call.started", "", ""},
		{"call.finished", "14 files deleted", "80 ms"},
	}
	var all []ui.Receipt
	for i, k := range kinds {
		all = append(all, ui.Receipt{
			Seq: int64(41 + i), Call: "c1", At: ago(time.Duration(10-i) * time.Minute),
			Type: k.kind, Says: k.says, Took: k.took, Actor: "it-admin",
			Tool: "file_delete", Tier: "red", Hash: "9d1e6a0c4b27f1535e0c8a7d9d1e6a0c4b27f1535e0c8a7d9d1e6a0c4b27f153",
			Prev: "55aa6a0c4b27f1535e0c8a7d9d1e6a0c4b27f1535e0c8a7d9d1e6a0c4b27f111", Href: "/app/receipts/41",
			Fields: []ui.Pair{{Name: "Path", Value: "reports/old", Code: true}, {Name: "Key", Value: "•••• (api key)", Code: true}},
		})
	}
	return all
}

func evidence(run, verdict string) *ui.Evidence {
	return &ui.Evidence{
		Run: run, Verdict: verdict, Receipts: receipts(), Chain: ui.Chain{State: "verified", Detail: "Receipts 41 to 46.", Href: "/check"},
		Claims:  []ui.Claim{{Sentence: "I deleted the 14 old files.", Verdict: "proven", Receipts: []int64{46}}, {Sentence: "I told the accountant.", Verdict: "not_proven"}},
		Facts:   []ui.Pair{{Name: "Allowed by", Value: "owner@bakery.example, portal"}, {Name: "Tokens", Value: "12.4 k"}},
		RunHref: "/app/runs/" + run, Print: "/app/runs/" + run + "?print=1",
	}
}
