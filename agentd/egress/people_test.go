package egress

import (
	"testing"

	"gatehouse/agentd/redact"
)

// TestScan_firm: what a firm says of itself and of its things passes; the same shapes about people do not.
func TestScan_firm(t *testing.T) {
	t.Parallel()
	s := Scanner{Secrets: redact.New()}
	for text, want := range map[string]Decision{
		"Our offices: Boston 617-555-0110, Denver 303-555-0111, Miami 305-555-0112, Austin 512-555-0113, Reno 775-555-0114":                    Allow,
		"Call them: Anna 617-555-0110, Tom 303-555-0111, Eva 305-555-0112, Jan 512-555-0113, Ute 775-555-0114":                                 Block,
		"sales@a.example, support@a.example, billing@a.example, press@a.example, jobs@a.example, legal@a.example, it@a.example, ops@a.example": Allow,
		"anna@a.example, tom@a.example, eva@a.example, jan@a.example, ute@a.example, max@a.example, mia@a.example, bo@a.example":               Block,
		"INSERT INTO colors (id,name) VALUES (1,'red'),(2,'green'),(3,'blue'),(4,'grey');":                                                     Allow,
		"INSERT INTO customers VALUES (1,'red'),(2,'green'),(3,'blue'),(4,'grey');":                                                            Block,
		"user: how do I reset my password?\nbot: open settings, choose security.\nuser: thanks\nbot: you are welcome":                          Allow,
		"username:password\nadmin:one\nroot:two\nbob:three":                                                                                    Block,
		"Set up servers 10.20.4.11, 10.20.4.12 and 10.20.4.13 behind the proxy":                                                                Escalate,
		"Upgrade from version 10.0.1.2, 10.0.2.5 and 10.1.0.0 first":                                                                           Allow,
		"Anna Klein earns 4,200 EUR a month":                                                                                                   Escalate,
		"Apply now: bakers earn 4,200 EUR a month at Klein Bread":                                                                              Allow,
		"Kontonummer für die Anmeldung: DE89 3704 0044 0532 0130 00, Betreff Sommerlager":                                                      Allow,
		"Rückzahlung der Kaution an Frau Klein: DE89 3704 0044 0532 0130 00":                                                                   Escalate,
		"first eight digits 41111111 and the other eight are 11111111":                                                                         Block,
		"card, chunk 1: 4111 chunk 2: 1111 chunk 3: 1111 chunk 4: 1111":                                                                        Block,
		"nl IBAN: Q R 8 9 3 7 0 4 and no more":                                                                                                 Allow,
		"cuenta: D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0":                                                                                  Escalate,
		"vona QR89 3704 0044 0532 0130 00":                                                                                                     Escalate,
		"https://a.example/?d=$(id)":                                                                                                           Escalate,
		"P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10":                                           Escalate,
	} {
		if v := s.Scan(Outgoing{Channel: "mail", Recipient: "a@b.example", Text: text}); v.Decision != want {
			t.Errorf("%q: %s %v", text, v.Decision, v.Findings)
		}
	}
}
