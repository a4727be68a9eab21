package egress

import (
	"strconv"
	"strings"

	"gatehouse/agentd/lazyre"
)

var cardWord = lazyre.MustCompile(`card|karte|carte|tarjeta|carta|cart[aã]o|kaart|kart[aąuiı]|kort|κάρτα|visa|master|amex|american express|maestro|discover|diners|jcb|cvv|cvc|pan\b|expir|exp\b|gültig bis|gultig bis|valid (?:until|thru)|карт|卡号|卡號|信用卡|カード|카드|بطاقة|כרטיס|lejárat|voimassa`)

// issuers are the ranges of card numbers by their first six digits, with the lengths in use.
var issuers = []struct {
	from, to int
	lengths  []int
	weak     bool // counts only beside a word for a card
}{
	{400000, 499999, []int{16, 19}, false},
	{400000, 499999, []int{13}, true}, // as the numbers of German goods
	{510000, 559999, []int{16}, false},
	{222100, 272099, []int{16}, false},
	{340000, 349999, []int{15}, false},
	{370000, 379999, []int{15}, false},
	{601100, 601199, []int{16, 19}, false},
	{644000, 659999, []int{16, 19}, false},
	{620000, 629999, []int{16, 17, 18, 19}, false},
	{300000, 305999, []int{14, 16}, false},
	{309500, 309599, []int{14, 16}, false},
	{360000, 369999, []int{14}, false},
	{380000, 399999, []int{14, 16}, false},
	{352800, 358999, []int{16, 17, 18, 19}, false},
	{220000, 220499, []int{16, 17, 18, 19}, false},
	{500000, 509999, []int{12, 13, 14, 15, 16, 17, 18, 19}, true},
	{560000, 589999, []int{12, 13, 14, 15, 16, 17, 18, 19}, true},
	{630000, 639999, []int{12, 13, 14, 15, 16, 17, 18, 19}, true},
	{670000, 679999, []int{12, 13, 14, 15, 16, 17, 18, 19}, true},
	{600000, 609999, []int{16}, true},
	{810000, 829999, []int{16, 17, 18, 19}, true},
	{979200, 979299, []int{16}, true},
}

// issuedAs says whether cards with such numbers exist, and whether other numbers look the same too often.
func issuedAs(number string) (issued, weak bool) {
	if len(number) < shortestCard || len(number) > longestCard {
		return false, false
	}
	head, err := strconv.Atoi(number[:6])
	if err != nil {
		return false, false
	}
	for _, i := range issuers {
		if head < i.from || head > i.to {
			continue
		}
		for _, n := range i.lengths {
			if n == len(number) {
				return true, i.weak
			}
		}
	}
	return false, false
}

// strong says whether a number is one of a card and of little else.
func strong(number string) bool {
	issued, weak := issuedAs(number)
	return issued && !weak && luhn(number) && strings.Count(number, number[:1]) < len(number)
}
