package policy_test

import (
	"testing"

	"gatehouse/agentd/phrase"
	"gatehouse/agentd/policy"
)

// TestSays_german: what the tools of a server would do is told in German too, with names and paths to the letter.
func TestSays_german(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	for _, tc := range []struct {
		tool string
		args args
		want string
	}{
		{"file_read", args{"path": "Read me.txt"}, "Read me.txt lesen"},
		{"file_list", args{"path": "."}, "Den Datenordner auflisten"},
		{"file_write", args{"path": "14 files", "content": "x"}, "14 files schreiben"},
		{"file_delete", args{"path": "reports/old/*"}, "reports/old/* löschen"},
		{"shell", args{"command": "df -h"}, "Ausführen: df -h"},
		{"message", args{"to": "a@example.com", "subject": "We open at nine", "text": "x"}, "E-Mail an a@example.com: We open at nine"},
		{"message", args{"to": "someone@example.com", "subject": "", "text": "x"}, "E-Mail an someone@example.com ohne Betreff"},
		{"env_read", args{"path": "app/.env"}, "Die Namen aller Einstellungen in app/.env lesen"},
		{"env_update", args{"path": "app/.env", "updates": args{"COLOR": "red"}}, "COLOR in app/.env ändern"},
		{"agent_dispatch", args{"target": "secretary", "task": "Write to them"}, "secretary beauftragen: Write to them"},
		{"team_report", args{"hours": 14}, "Lesen, was das Team getan hat"},
		{"subagent_spawn", args{"task": "Count"}, "Einen Unteragenten beginnen: Count"},
		{"subagent_check", args{}, "Nachsehen, wie die Unteragenten stehen"},
		{"subagent_check", args{"wait": true}, "Auf die Unteragenten warten"},
		{"subagent_stop", args{"id": "a"}, "Den Unteragenten a stoppen"},
		{
			"schedule_create",
			args{"when": "every hour", "task": "Full", "watch_tool": "shell", "watch_is": "above", "watch_value": 90},
			"Beobachten „every hour“ mit shell: Full",
		},
		{"schedule_create", args{"when": "tomorrow at 9", "task": "Look"}, "Einplanen „tomorrow at 9“: Look"},
		{"schedule_create", args{"when": "tomorrow at 9", "task": "Call", "remind": true}, "Sie erinnern „tomorrow at 9“: Call"},
		{"schedule_list", args{}, "Die Zeitpläne ansehen"},
		{"schedule_update", args{"id": "a", "when": "at 9"}, "Den Zeitplan a ändern: at 9"},
		{"schedule_update", args{"id": "a", "paused": true}, "Den Zeitplan a ändern"},
		{"schedule_delete", args{"id": "a"}, "Den Zeitplan a löschen"},
	} {
		c := classify(t, tc.tool, tc.args)
		if got, _ := phrase.Card("de").Say(c.Says); got != tc.want {
			t.Errorf("%s %v says %q, in German %q", tc.tool, tc.args, c.Says, got)
		}
	}
}

// TestDecide_german: each reason for which the table asks is told in German too.
func TestDecide_german(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	every(func(values []string) {
		v := policy.Decide(input(values, 1))
		if v.Effect != policy.Ask || seen[v.Why] || v.Why == "enough of it" { // which the table of the test says
			return
		}
		seen[v.Why] = true
		if _, ok := phrase.Card("de").Say(v.Why); !ok {
			t.Errorf("no German for %q", v.Why)
		}
	})
	if len(seen) < 5 {
		t.Errorf("only %d reasons were met", len(seen))
	}
}
