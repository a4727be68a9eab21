package egress

import (
	"strings"
	"testing"

	"gatehouse/agentd/redact"
)

// BenchmarkScan judges 8 KB: an ordinary mail, and the worst case, a table of numbers of which each may be somebody's.
func BenchmarkScan(b *testing.B) {
	for name, piece := range map[string]string{"mail": ordinary, "numbers": numbers} {
		b.Run(name, func(b *testing.B) {
			s, text := Scanner{Secrets: redact.New()}, strings.Repeat(piece, 8<<10/len(piece)+1)
			o := Outgoing{Channel: "mail", Recipient: "someone@example.com", Text: text}
			s.Scan(o) // makes the rules
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				s.Scan(o)
			}
		})
	}
}

// ordinary is what a business writes all day.
const ordinary = `Good morning,

thank you for your order 2026-10442 of 14 November. We deliver 120 rolls and 35 loaves on Saturday, 21 November, between
6:30 and 7:15. The invoice over 412.50 EUR comes with the delivery; our account is the one you know. If the gate is
closed, please ring 555-0142 or ask at the desk. The order of last week (2026-10398) has been paid, thank you.

Kind regards, the bakery
`

const numbers = `article;stock;serial;reading
100200300;12;4711 0815 2342;48.2082
7360285160;7;88 213 004;16.3738
44051401350;120;2026-10442-7;99.12
`
