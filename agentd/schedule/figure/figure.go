package figure

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gatehouse/agentd/wire"
)

// number is how a figure is written: digits in groups, with a decimal point or comma.
var number = regexp.MustCompile(`[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?`)

// Check says what is wrong with a condition, in words for the person who wrote it; nil when it can be watched.
func Check(c wire.ScheduleCondition) error {
	places := 0
	for _, p := range []string{c.Find, c.Path, c.Pattern} {
		if p != "" {
			places++
		}
		if len(p) > wire.MaxConditionPlace {
			return errors.New("What says where the number stands is too long.")
		}
	}
	re, err := regexp.Compile(c.Pattern)
	switch {
	case c.Tool == "" || !json.Valid([]byte(c.Args)) || len(c.Args) > wire.MaxConditionArgs:
		return errors.New("Name a tool and its arguments as JSON.")
	case places > 1:
		return errors.New("Say in one way where the number stands: by the words before it, a path or a pattern.")
	case err != nil || c.Pattern != "" && re.NumSubexp() != 1:
		return errors.New(`A pattern is a regular expression with one pair of brackets around the number, such as "(\d+) free".`)
	case c.Is != Above && c.Is != Below && c.Is != Equal:
		return errors.New("A number is above, below or equal.")
	case math.IsNaN(c.Value) || math.IsInf(c.Value, 0):
		return errors.New("The number to compare with is none.")
	}
	return nil
}

// What can be compared.
const (
	Above = "above"
	Below = "below"
	Equal = "equal"
)

// Find gives the number that a condition is about in the text that a tool gave. The error says that there is none.
func Find(c wire.ScheduleCondition, text string) (float64, error) {
	switch {
	case c.Path != "":
		return inJSON(c.Path, text)
	case c.Pattern != "":
		re, err := regexp.Compile(c.Pattern)
		if err != nil {
			return 0, fmt.Errorf("pattern: %w", err)
		}
		m := re.FindStringSubmatch(text)
		if len(m) != 2 {
			return 0, errors.New("The pattern fits nothing in what the tool gave.")
		}
		return first(m[1])
	case c.Find != "":
		_, rest, ok := strings.Cut(text, c.Find)
		if !ok {
			return 0, fmt.Errorf("%q does not stand in what the tool gave.", c.Find)
		}
		return first(rest)
	}
	return first(text)
}

// inJSON follows a path such as data.0.free.
func inJSON(path, text string) (float64, error) {
	var at any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&at); err != nil {
		return 0, errors.New("What the tool gave is no JSON.")
	}
	for step := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return 0, fmt.Errorf("There is no %q in what the tool gave.", path)
			}
			at = v[i]
		default:
			return 0, fmt.Errorf("There is no %q in what the tool gave.", path)
		}
	}
	switch v := at.(type) {
	case json.Number:
		return v.Float64()
	case string:
		return first(v)
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	}
	return 0, fmt.Errorf("There is no number at %q in what the tool gave.", path)
}

// first is the first number of a text.
func first(text string) (float64, error) {
	found := number.FindString(text)
	if found == "" {
		return 0, errors.New("There is no number in what the tool gave.")
	}
	return strconv.ParseFloat(plain(found), 64)
}

// plain writes a number with a point and without groups. Of two kinds of separators the last one is the decimal one; a single comma
// before three digits groups them, as tools write that.
func plain(s string) string {
	dot, comma := strings.LastIndex(s, "."), strings.LastIndex(s, ",")
	switch {
	case dot >= 0 && comma >= 0 && comma > dot:
		return strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case dot >= 0 && comma >= 0:
		return strings.ReplaceAll(s, ",", "")
	case comma >= 0 && strings.Count(s, ",") == 1 && len(s)-comma != 4:
		return strings.Replace(s, ",", ".", 1)
	case comma >= 0:
		return strings.ReplaceAll(s, ",", "")
	case strings.Count(s, ".") > 1:
		return strings.ReplaceAll(s, ".", "")
	}
	return s
}

// Holds says whether a condition holds for a number.
func Holds(c wire.ScheduleCondition, n float64) bool {
	switch c.Is {
	case Above:
		return n > c.Value
	case Below:
		return n < c.Value
	}
	return n == c.Value
}

// Says says a number beside what it is compared with: "92, which is above 90".
func Says(c wire.ScheduleCondition, n float64) string {
	words := map[bool]map[string]string{
		true:  {Above: "which is above", Below: "which is below", Equal: "which is equal to"},
		false: {Above: "not above", Below: "not below", Equal: "not"},
	}
	return fmt.Sprintf("%s, %s %s", write(n), words[Holds(c, n)][c.Is], write(c.Value))
}

func write(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
