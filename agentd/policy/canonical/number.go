package canonical

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// maxInteger is 2^53: beyond it a double no longer tells neighbours apart.
const maxInteger = 1 << 53

var grammar = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$`)

func (p *parser) number(out *bytes.Buffer) error {
	end := p.at
	for end < len(p.in) && strings.IndexByte("+-.eE0123456789", p.in[end]) >= 0 {
		end++
	}
	lit := string(p.in[p.at:end])
	if !grammar.MatchString(lit) {
		return p.fail("malformed number")
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil || math.Abs(f) > maxInteger {
		return p.fail("number beyond 2^53")
	}
	if strings.Trim(lit, "-0123456789") == "" && len(strings.TrimPrefix(lit, "-")) >= 16 {
		if n, err := strconv.ParseInt(lit, 10, 64); err != nil || n > maxInteger || n < -maxInteger {
			return p.fail("number beyond 2^53") // 2^53+1 reads as 2^53 in a double
		}
	}
	p.at = end
	out.WriteString(ecmascript(f))
	return nil
}

// ecmascript writes f as ECMAScript's Number.toString does.
func ecmascript(f float64) string {
	if f == 0 {
		return "0" // also for -0
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	return strings.Replace(strings.Replace(s, "e-0", "e-", 1), "e+0", "e+", 1)
}
