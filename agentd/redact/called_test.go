package redact

import "testing"

// TestScan_called: what a known secret is called is no secret, also where something secret is said to stand.
func TestScan_called(t *testing.T) {
	t.Parallel()
	const answer = `{"secret_id":"crm.db_password"}`
	if got := New().Text(answer); got == answer {
		t.Fatalf("%s: nothing looks like a secret there", got)
	}
	e := NewWith([]Known{{"crm.db_password", "Tulip.Meadow_Harbor*7"}})
	for in, want := range map[string]string{
		answer:                                  answer,
		`{"secret_id":"crm.db_passwore"}`:       `{"secret_id":"[REDACTED:token]"}`,
		`{"secret_id":"Tulip.Meadow_Harbor*7"}`: `{"secret_id":"[SECRET:crm.db_password]"}`,
	} {
		if got := e.Text(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}
