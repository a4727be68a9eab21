package policy

import (
	"fmt"
	"strings"
)

// mustTools reads the table that is built in; a mistake in it is a mistake of the program.
func mustTools(text string) map[string]httpTool {
	all, err := readTools(text)
	if err != nil {
		panic("policy: table of tools: " + err.Error())
	}
	return all
}

// readTools reads the table: a line "tool NAMES… [:PORT]" begins a tool, lines "METHOD PATH TIER ACTION [FIELD=VALUES[&…]
// TIER ACTION]… [money=PATHS[@CURRENCY]]" are its rules. An empty value means that the field may be missing.
func readTools(text string) (map[string]httpTool, error) {
	all := map[string]httpTool{}
	key := ""
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#" || f[0] == "version":
		case f[0] == "tool" && len(f) > 1:
			key = toolKey(f[1])
			all[key] = toolOf(f[1:])
		default:
			rule, err := readRule(f)
			x, ok := all[key]
			if err != nil || !ok {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			x.rules = append(x.rules, rule)
			all[key] = x
		}
	}
	return all, nil
}

func toolOf(names []string) httpTool {
	var x httpTool
	for _, n := range names {
		if port, ok := strings.CutPrefix(n, ":"); ok {
			x.port = port
		} else {
			x.names = append(x.names, n)
		}
	}
	return x
}

func readRule(f []string) (httpRule, error) {
	var money *moneyAt
	if at, ok := strings.CutPrefix(f[len(f)-1], "money="); ok {
		money, f = readMoneyAt(at), f[:len(f)-1]
	}
	if len(f) < 4 || len(f)%3 != 1 {
		return httpRule{}, fmt.Errorf("%d words", len(f))
	}
	tier, outward := strings.CutPrefix(f[2], "outward:")
	r := httpRule{method: f[0], path: strings.Split(strings.Trim(f[1], "/"), "/"), tier: Tier(tier), action: f[3], outward: outward, money: money}
	if f[1] == "/" {
		r.path = nil
	}
	if _, ok := tierRank[r.tier]; !ok {
		return r, fmt.Errorf("no tier")
	}
	for f = f[4:]; len(f) > 0; f = f[3:] {
		w := httpWhen{tier: Tier(f[1]), action: f[2]}
		for part := range strings.SplitSeq(f[0], "&") {
			name, values, ok := strings.Cut(part, "=")
			if !ok {
				return r, fmt.Errorf("no condition")
			}
			w.fields = append(w.fields, readField(name, values))
		}
		if _, known := tierRank[w.tier]; !known || w.tier.Rank() > r.tier.Rank() {
			return r, fmt.Errorf("no condition")
		}
		r.whens = append(r.whens, w)
	}
	return r, nil
}

func readField(name, values string) httpField {
	h := httpField{name: name}
	for v := range strings.SplitSeq(values, ",") {
		if v == "" {
			h.absent = true
		} else {
			h.values = append(h.values, v)
		}
	}
	return h
}
