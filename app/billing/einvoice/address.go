package einvoice

import (
	"regexp"
	"strings"

	"gatehouse/app/billing"
)

// town is the last line of an address on the continent: postcode, then the place.
var town = regexp.MustCompile(`^(?:[A-Z]{1,2}-)?(\d[0-9A-Z]*(?: ?[0-9A-Z]*\d[0-9A-Z]*| [A-Z]{2})?)\s+(\p{L}.*)$`)

// address splits the lines of a party as the standard has them. Where the last line is no postcode with a place, all of them stand as
// they are: nothing is guessed.
func address(p billing.Party) tradeAddress {
	a := tradeAddress{Country: p.Country}
	var lines []string
	for line := range strings.Lines(p.Address) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if n := len(lines); n > 0 {
		if m := town.FindStringSubmatch(lines[n-1]); m != nil {
			a.Postcode, a.City, lines = m[1], m[2], lines[:n-1]
		}
	}
	for _, to := range []*string{&a.One, &a.Two} {
		if len(lines) > 0 {
			*to, lines = lines[0], lines[1:]
		}
	}
	a.Three = strings.Join(lines, ", ")
	return a
}
