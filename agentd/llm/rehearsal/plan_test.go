package rehearsal_test

import (
	"strings"
	"testing"
)

// TestPlan: what is to happen later is planned in the owner's own words, and said with the date that the tool answers.
func TestPlan(t *testing.T) {
	t.Parallel()
	for task, want := range map[string][3]string{
		"Remind me tomorrow at 9 to call the tax office.":          {"tomorrow at 9", "call the tax office", "true"},
		"remind me to call the tax office tomorrow at 9":           {"tomorrow at 9", "call the tax office", "true"},
		"Erinnere mich morgen um 9 daran, das Finanzamt anzurufen": {"morgen um 9", "das Finanzamt anzurufen", "true"},
		"Erinnere mich am 3. um 14 Uhr an den Termin":              {"am 3. um 14 Uhr", "den Termin", "true"},
		"Every Monday at 8 tell me how full the disk is":           {"Every Monday at 8", "tell me how full the disk is", "false"},
		"Sag mir jeden Montag um 8, wie voll die Festplatte ist": {
			"jeden Montag um 8", "Sag mir, wie voll die Festplatte ist",
			"false",
		},
		"Jeden zweiten Freitag sag mir, wie voll die Festplatte ist": {
			"Jeden zweiten Freitag",
			"sag mir, wie voll die Festplatte ist", "false",
		},
	} {
		var got [3]string
		k := talk{tools: []string{"schedule_create", "agent_dispatch"}, answer: func(_ string, args map[string]string) string {
			got = [3]string{args["when"], args["task"], args["remind"]}
			return "Planned: it. Due on a Monday at 09:00 (Europe/Vienna). Its id is 01."
		}}
		said := k.run(t, task)
		if got != want || !strings.Contains(said, "on a Monday at 09:00 (Europe/Vienna)") || !strings.Contains(said, want[1]) {
			t.Errorf("%q: %q, %q", task, got, said)
		}
	}
}

// TestPlan_asksBack: a question of the tool goes to the owner.
func TestPlan_asksBack(t *testing.T) {
	t.Parallel()
	const question = "Do you mean Friday, 4 December 2026 at 09:00 or Friday, 11 December 2026 at 09:00?"
	k := talk{tools: []string{"schedule_create"}, answer: always("[denied] " + question + " Ask the owner, then try again with the " +
		"words of the answer.")}
	if said := k.run(t, "Remind me next Friday at 9 to call"); said != question || len(k.calls) != 1 {
		t.Errorf("%q, %q", k.calls, said)
	}
}

// TestPlan_now: what only sounds like a plan is done now.
func TestPlan_now(t *testing.T) {
	t.Parallel()
	for task, call := range map[string]string{
		"How full is the disk?": "shell", "What is planned?": "schedule_list",
		"Was ist geplant?": "schedule_list",
	} {
		k := talk{tools: append(admin, "schedule_create", "schedule_list"), answer: always("Nothing is planned.")}
		if k.run(t, task); len(k.calls) == 0 || !strings.HasPrefix(k.calls[0], call+" ") {
			t.Errorf("%q: %q", task, k.calls)
		}
	}
}
