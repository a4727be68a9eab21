package admin

import (
	"math"
	"strconv"
	"strings"
)

// decimal reads a number that is not negative with at most so many decimals, written with a point or a comma, as a whole number of
// its smallest part: "1.5" with 2 decimals is 150.
func decimal(text string, decimals int) (int64, bool) {
	whole, part, _ := strings.Cut(strings.Replace(strings.TrimSpace(text), ",", ".", 1), ".")
	if whole == "" && part == "" || len(part) > decimals || strings.ContainsAny(whole+part, "+- ") {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", decimals-len(part)), 10, 64)
	return n, err == nil && n < math.MaxInt64/1000
}

// plain writes what decimal reads, as short as it can be.
func plain(n int64, decimals int) string {
	digits := strconv.FormatInt(n, 10)
	if len(digits) <= decimals {
		digits = strings.Repeat("0", decimals+1-len(digits)) + digits
	}
	at := len(digits) - decimals
	return strings.TrimSuffix(strings.TrimRight(digits[:at]+"."+digits[at:], "0"), ".")
}
