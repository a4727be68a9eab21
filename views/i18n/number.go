package i18n

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// marks are what a language puts between thousands and before decimals.
type marks struct{ thousands, decimal string }

var marksOf = map[string]marks{English: {",", "."}, German: {".", ","}, Pseudo: {",", "."}}

// Count writes a whole number with thousands separators and a true minus sign, as the language of ctx does.
func Count(ctx context.Context, n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "−", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + marksOf[LocaleOf(ctx)].thousands + digits[i:]
	}
	return sign + digits
}

// Decimal writes f with the given number of decimals, as the language of ctx does.
func Decimal(ctx context.Context, f float64, decimals int) string {
	s := strconv.FormatFloat(f, 'f', decimals, 64)
	return strings.NewReplacer(".", marksOf[LocaleOf(ctx)].decimal, "-", "−").Replace(s)
}

// Amount writes money given in hundredths, without its currency: "1,234.50", "1.234,50".
func Amount(ctx context.Context, cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "−", -cents
	}
	return fmt.Sprintf("%s%s%s%02d", sign, Count(ctx, cents/100), marksOf[LocaleOf(ctx)].decimal, cents%100)
}

// Euros writes euros given in cents, as short as they can be: "€45", "45 €", "45,50 €".
func Euros(ctx context.Context, cents int64) string {
	amount := Amount(ctx, cents)
	if cents%100 == 0 {
		amount = Count(ctx, cents/100)
	}
	return T(ctx, "number.euros", "amount", amount)
}

// whole reads the integer types that props use.
func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case int32:
		return int64(n), true
	}
	return 0, false
}
