package story

import (
	"net/http"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestEventRules: an owner has the secretary work when a run fails, signed by the browser; a run fails, and the history names the run
// that this began, whose end begins nothing more.
func TestEventRules(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	p.Open("/app/hooks")
	p.See("#events", "No rules yet")
	p.Open("/app/hooks/rules/new")
	p.InspectOpen("a new rule")
	p.Write("[name=name]", "Failures")
	p.Choose("agent", "secretary")
	p.Write("[name=task]", "Tell me what went wrong.")
	p.Click("#rule-form button[type=submit]")
	p.See("[data-toast]", "The rule is made")
	p.See("#rule", "A run has ended · Failed")
	page := e2e.Eval[string](p, "location.pathname")
	p.See("#firings", "Nothing has happened yet")

	run := failing(t, c)
	p.Open(page)
	p.See("#firings", "Begun")
	var all struct {
		Items []struct {
			ID   string
			Last struct {
				Verdict string
				OfRun   string `json:"of_run"`
				RunID   string `json:"run_id"`
			}
		}
	}
	c.Want(http.StatusOK, http.MethodGet, "/event-rules", nil, &all)
	if len(all.Items) != 1 || all.Items[0].Last.OfRun != run || all.Items[0].Last.Verdict != "began" {
		t.Fatalf("%+v", all.Items)
	}
	c.End(all.Items[0].Last.RunID)
	p.Open(page)
	p.InspectOpen("a rule")
	p.Shots("rule")
	p.Click("#firings a[href*=\"" + all.Items[0].Last.RunID + "\"]")
	p.See("main", "Tell me what went wrong")

	p.Open(page)
	p.Click("#rule form:not([data-hook]) button")
	p.See("#rule", "Paused")
	failing(t, c)
	p.Open(page)
	p.Click("#rule form[data-hook] button")
	p.See("[data-toast]", "It goes on")

	api := program{c, h}
	act := wire.EventRuleAct{
		ID: newID(), Do: wire.HookDoMake, Name: "Requests", Event: wire.EventApprovalWaits, Agent: "secretary", Task: "Tell me", PerHour: 2,
	}
	var made struct{ ID string }
	api.Want(http.StatusForbidden, http.MethodPost, "/event-rules", map[string]any{"act": act}, nil)
	api.Want(http.StatusCreated, http.MethodPost, "/event-rules", api.acts(wire.ChangeEventRule, act), &made)
	var fired struct{ Items []any }
	api.Want(http.StatusOK, http.MethodGet, "/event-rules/"+made.ID+"/firings", nil, &fired)
	pause := wire.EventRuleAct{ID: newID(), Do: wire.HookDoPause, Rule: made.ID}
	api.Want(http.StatusOK, http.MethodPatch, "/event-rules/"+made.ID, map[string]any{"act": pause}, nil)
	api.Want(http.StatusNoContent, http.MethodDelete, "/event-rules/"+made.ID, nil, nil)
	api.Want(http.StatusOK, http.MethodGet, "/event-rules/"+all.Items[0].ID+"/firings", nil, &fired)
	if len(fired.Items) != 1 {
		t.Errorf("while it was paused, something was begun: %+v", fired.Items)
	}
}

// failing has a run fail, and names it.
func failing(t *testing.T, c *e2e.Client) string {
	t.Helper()
	run := c.Say("it-admin", "Please try this.\n"+e2e.Script(t, e2e.Step{Status: http.StatusBadRequest}))
	c.End(run)
	return run
}
