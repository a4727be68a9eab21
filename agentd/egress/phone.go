package egress

import "strings"

// The digits of a phone number, with its country.
const (
	shortestPhone = 8
	longestPhone  = 15
)

// phones counts different phone numbers.
func (m *message) phones() int {
	seen := map[string]bool{}
	for i := 0; i < len(m.tokens); {
		number, next := m.phoneAt(i)
		if number != "" {
			seen[number] = true
		}
		i = max(next, i+1)
	}
	return len(seen)
}

// phoneAt gives the phone number that begins with a token, and the token behind it.
func (m *message) phoneAt(i int) (number string, next int) {
	t := m.tokens[i]
	if t.letters() > 0 || t.glued {
		return "", i + 1
	}
	sign := byte(' ')
	if t.from > 0 {
		sign = m.text[t.from-1]
	}
	if sign != '(' && sign != '+' && strings.IndexByte("/-.,", sign) >= 0 && t.from > 1 && alphanumeric[m.text[t.from-2]] {
		return "", i + 1 // the middle of another number
	}
	var groups []int
	j, digits := i, ""
	for ; j < len(m.tokens) && m.tokens[j].letters() == 0; j++ {
		if j > i && !phoneGap(m.text[m.tokens[j-1].to:m.tokens[j].from]) || len(digits)+m.tokens[j].size() > longestPhone+1 {
			break
		}
		digits += m.text[m.tokens[j].from:m.tokens[j].to]
		groups = append(groups, m.tokens[j].size())
	}
	if len(digits) < shortestPhone || !isPhone(digits, groups, sign, m.text[t.from:m.tokens[j-1].to]) {
		return "", i + 1
	}
	return digits, j
}

// phoneGap says whether signs stand between the parts of a phone number.
func phoneGap(gap string) bool {
	return len(gap) <= 3 && strings.Trim(gap, " ./()-") == "" && gap != ""
}

// isPhone says whether digits are grouped as people write phone numbers: with the country, with the zero of the long
// distance, with the area in brackets, or in threes and four.
func isPhone(digits string, groups []int, sign byte, written string) bool {
	switch {
	case sign == '+', strings.HasPrefix(digits, "00"):
		return digits[0] != '0' || len(digits) > 9
	case sign == '(' && len(groups) >= 2 && strings.HasPrefix(written[groups[0]:], ")"):
		return groups[0] >= 2 && groups[0] <= 5
	case digits[0] == '0':
		return len(groups) >= 2 && groups[0] <= 5 && len(digits) <= 12 || len(groups) == 1 && (len(digits) == 10 || len(digits) == 11 || len(digits) == 12 && digits[1] == '1')
	}
	return len(groups) == 3 && groups[0] == 3 && groups[1] == 3 && groups[2] == 4 && !strings.Contains(written, "/") || mobile(groups, digits)
}

// mobile says whether nine digits in threes are a number, as Spain, Poland and Portugal write it.
func mobile(groups []int, digits string) bool {
	return len(groups) == 3 && groups[0] == 3 && groups[1] == 3 && groups[2] == 3 && digits[0] >= '5' && digits[0] <= '9'
}
