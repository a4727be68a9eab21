package db

import (
	"fmt"
	"regexp"
	"strconv"

	"gatehouse/agentd/wire"
)

// numbers keeps of each fact its name and number; the text may name files or people, and so may a name of several words.
func numbers(facts []wire.Fact) []wire.Fact {
	return each(facts, func(f wire.Fact) wire.Fact {
		n := wire.Fact{Value: f.Value, Text: strconv.FormatInt(f.Value, 10)}
		if plainName.MatchString(f.Name) {
			n.Name, n.Text = f.Name, counted(f)
		}
		return n
	})
}

// one is what a fact of a single thing counts.
var one = map[string]string{
	"recipients": "recipient", "files": "file", "folders": "folder", "settings": "setting", "destinations": "destination",
}

// counted is a fact in words of its name alone. Money is in cents, and 0 where nobody can read how much.
func counted(f wire.Fact) string {
	switch name, single := one[f.Name]; {
	case f.Name == "money" && f.Value == 0:
		return "moves money"
	case f.Name == "money":
		return fmt.Sprintf("moves %d.%02d", f.Value/100, f.Value%100)
	case single && f.Value == 1:
		return "1 " + name
	}
	return strconv.FormatInt(f.Value, 10) + " " + f.Name
}

// plainName is one word, as tools name what they measure.
var plainName = regexp.MustCompile(`^[a-z]{1,16}$`)
