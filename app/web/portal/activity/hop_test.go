package activity_test

import (
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

const (
	handedRun = "01939b5e-0000-7000-8000-0000000000a1"
	subRun    = "01939b5e-0000-7000-8000-0000000000a2"
)

// withHops gives a run one that was handed on, and a sub-agent of that.
func withHops(p *portaltest.Peer, root string, state wire.RunState) {
	p.Lock()
	defer p.Unlock()
	run := p.Runs[root]
	run.Level, run.Tokens = 2, 1200
	run.Tree = []wire.RunInfo{
		{
			ID: handedRun, RootID: root, ParentID: root, Agent: "it-admin", State: wire.RunDone, Task: "Look at the disk", Depth: 1,
			Level: 1, Tokens: 300,
		},
		{
			ID: subRun, RootID: subRun, ParentID: handedRun, Agent: "it-admin", State: state, Task: "Count the files", Depth: 2, Level: 1,
			Tokens: 4500, Sub: &wire.SubOf{State: wire.SubRunning, Run: handedRun, Root: root, CallID: handedRun},
		},
	}
	p.Runs[root], p.Events[subRun] = run, []wire.RunEvent{}
}

// The page of a run shows who asked whom, how they stand and what they used; what is open can be stopped alone.
func TestRun_showsHops(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, root := h.Demo(t, of)
	withHops(p, root, wire.RunRunning)
	owner := h.Owner(t, of)
	page := owner.Get("/app/runs/" + root)
	hops := page.Find("#hops")
	text := strings.Join(strings.Fields(hops.Text()), " ")
	for _, want := range []string{"Look at the disk", "Count the files", "Sub-agent", "Level 1", "4,500 tokens", "Working"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	if hops.Find("#hop-"+handedRun+" #hop-"+subRun).Length() != 1 || hops.Find("#hop-"+handedRun+" > .tree-line form").Length() != 0 {
		t.Error("the sub-agent does not stand below the run that began it, or what has ended can be stopped")
	}
	form := hops.Find("#hop-" + subRun + " form")
	if action, _ := form.Attr("action"); action != "/app/runs/"+subRun+"/stop" || form.Find("[name=alone][value='1']").Length() != 1 {
		t.Errorf("the form goes to %q", action)
	}
	if !strings.Contains(page.Find(".run-head").Text(), "Stop all") {
		t.Error("all of them cannot be stopped")
	}
}

// A person stops one run alone: the server is asked for that one and no other.
func TestRun_stopsOne(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, root := h.Demo(t, of)
	withHops(p, root, wire.RunRunning)
	h.Owner(t, of).Post("/app/runs/"+subRun+"/stop", url.Values{"alone": {"1"}, "back": {"/app/runs/" + root}})
	p.Lock()
	defer p.Unlock()
	if len(p.Cancels) != 1 || !p.Cancels[0].Alone || p.Cancels[0].RunID != subRun {
		t.Errorf("%+v", p.Cancels)
	}
}

// The page of a sub-agent leads to the task that began it.
func TestRun_subagentLeadsBack(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p, _, root := h.Demo(t, of)
	p.Lock()
	p.Runs[subRun] = wire.Run{RunInfo: wire.RunInfo{
		ID: subRun, RootID: subRun, Agent: "it-admin", State: wire.RunDone, Task: "Count the files",
		Sub: &wire.SubOf{State: wire.SubCompleted, Run: root, Root: root, CallID: handedRun},
	}}
	p.Unlock()
	if page := h.Owner(t, of).Get("/app/runs/" + subRun); page.Find("main a[href='/app/runs/"+root+"']").Length() != 1 {
		t.Error("nothing leads to the task that began it")
	}
}
