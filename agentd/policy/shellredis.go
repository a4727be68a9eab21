package policy

import (
	"slices"
	"strings"
)

// redisCLI judges redis-cli by its command.
func (j *judge) redisCLI(args []arg) {
	if j.looks("redis-cli", args) {
		return
	}
	var command []string
	scans := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		takes, known := flagIn("-h= -p= -n= --scan --pattern= --count= --raw --no-raw --csv --json --no-auth-warning -2 -3", a.text)
		switch {
		case !a.fixed || a.glob:
			j.raise(CriticalRed, "What it would do is only known when it runs.")
		case len(command) > 0 || !strings.HasPrefix(a.text, "-"):
			command = append(command, a.text)
		case !known || strings.HasPrefix(a.text, "-h") && (a.text != "-h" || i+1 >= len(args) || !slices.Contains(localHost, args[i+1].text)):
			j.raise(CriticalRed, "The gate does not understand the flag "+visible(a.text)+" here.")
		case takes:
			i++
		default:
			scans = scans || a.text == "--scan"
		}
	}
	if len(command) == 0 && scans {
		return // it lists the names of keys
	}
	if len(command) == 0 {
		j.raise(CriticalRed, "Its commands come from elsewhere.")
		return
	}
	c := SQL(SQLArgs{Query: strings.Join(command, " "), Engine: redis})
	j.raise(c.Tier, c.Why)
}
