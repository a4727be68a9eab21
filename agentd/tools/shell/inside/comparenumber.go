package inside

import (
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// compareNumbers compares numbers that stand there as such: no text is read as arithmetic.
func compareNumbers(op syntax.BinTestOperator, a, b string) (bool, error) {
	x, err := whole(a)
	if err != nil {
		return false, err
	}
	y, err := whole(b)
	if err != nil {
		return false, err
	}
	switch op {
	case syntax.TsEql:
		return x == y, nil
	case syntax.TsNeq:
		return x != y, nil
	case syntax.TsLeq:
		return x <= y, nil
	case syntax.TsGeq:
		return x >= y, nil
	case syntax.TsLss:
		return x < y, nil
	case syntax.TsGtr:
		return x > y, nil
	}
	return false, fmt.Errorf("refused: this shell does not know the test %s", op)
}

func whole(s string) (int64, error) {
	if s = strings.TrimSpace(s); s == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", visible([]string{s}))
	}
	return n, nil
}
