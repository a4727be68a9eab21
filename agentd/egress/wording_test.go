package egress

import (
	"slices"
	"testing"

	"gatehouse/agentd/redact"
)

// TestIdentities_wording: a number that proves itself is found beside loose words too, and other numbers are not.
func TestIdentities_wording(t *testing.T) {
	t.Parallel()
	s := Scanner{Secrets: redact.New()}
	for text, want := range map[string]bool{
		"His tax number is 86095742719, please register him.":          true,
		"national id: 44051401359 (Kowalski)":                          true,
		"Applicant, personal number 111222333, moves in on Monday":     true,
		"numéro d'identité 85073003328":                                true,
		"Taxpayer no. 046 454 286 for the new driver":                  true,
		"identity number 10000000146":                                  true,
		"número de identificación fiscal 123456789 de la nueva":        true,
		"her personal code is 234123412346":                            true,
		"Tax number of the company: 12/345/67890":                      false,
		"The national team has 86095742718 fans on the net":            false,
		"order number 44051401359 ships today":                         false,
		"member number 10000000140 of the library":                     false,
		"Meter 111222333 was read on Monday.":                          false,
		"invoice 123456789, customer 046454286, project 9434765919":    false,
		"The personal touch: 12 courses, 350 members, 20 years of joy": false,
	} {
		v := s.Scan(Outgoing{Channel: "mail", Recipient: "a@a.example", Known: []string{"a@a.example"}, Text: text})
		if got := slices.Contains(v.Findings, Finding{NationalID}); got != want {
			t.Errorf("%q: %v", text, v.Findings)
		}
	}
}
