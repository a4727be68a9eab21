package egress

import "strings"

// kvnr: German health insurance number: the letter counts as two digits, then the check of cards from the other side.
func kvnr(s string) bool {
	n := int(s[0] - 'A' + 1)
	d := string(rune('0'+n/10)) + string(rune('0'+n%10)) + s[1:]
	sum := 0
	for i := range 10 {
		p := int(d[i]-'0') * (1 + i%2)
		sum += p/10 + p%10
	}
	return sum%10 == int(s[9]-'0')
}

// spi: French tax number: the last three digits are the rest by 511.
func spi(s string) bool { return s[0] <= '3' && mod(s[:10], 511) == mod(s[10:], 1000) }

// luxembourgish: birth date, then a check of cards and one of Verhoeff over the first eleven digits.
func luxembourgish(s string) bool {
	return date(s[6:8], s[4:6]) && luhn(s[:12]) && verhoeff(s[:11]+s[12:])
}

// nss: Spanish social security number: the last two digits are the rest of the others by 97.
func nss(s string) bool { return mod(s[:10], 97) == mod(s[10:], 100) }

// niss: Portuguese social security number, weights of primes, by 10.
func niss(s string) bool {
	return s[0] == '1' && 9-weighted(s, 29, 23, 19, 17, 13, 11, 7, 5, 3, 2)%10 == int(s[10]-'0')
}

// amka: Greek number: a birth date and the check of cards.
func amka(s string) bool { return date(s[:2], s[2:4]) && luhn(s) }

// maltese: the last letter tells where the person was born.
func maltese(s string) bool { return strings.ContainsRune("MGAPLHBZ", rune(s[7])) }

// icelandic: a birth date and a check by 11.
func icelandic(s string) bool {
	return date(s[:2], s[2:4]) && weighted(s, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

// baltic: number of Estonia and Lithuania: a birth date and a check by 11 with two sets of weights.
func baltic(s string) bool {
	rest := weighted(s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1) % 11
	if rest == 10 {
		rest = weighted(s, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3) % 11 % 10
	}
	return s[0] >= '1' && s[0] <= '8' && date(s[5:7], s[3:5]) && rest == int(s[10]-'0')
}

// latvian: a birth date with a check by 11, or the newer form that begins with 32.
func latvian(s string) bool {
	if s[:2] >= "32" && s[:2] <= "39" {
		return true
	}
	return date(s[:2], s[2:4]) && (1101-weighted(s, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))%11%10 == int(s[10]-'0')
}

// czechTen: the form of ten digits, whose check digit is one.
func czechTen(s string) bool { return len(s) == 10 && czech(s) }

// taj: Hungarian social security number, weights 3 and 7.
func taj(s string) bool { return weighted(s, 3, 7, 3, 7, 3, 7, 3, 7)%10 == int(s[8]-'0') }

// adojel: Hungarian tax number of a person, by 11.
func adojel(s string) bool {
	return s[0] == '8' && weighted(s, 1, 2, 3, 4, 5, 6, 7, 8, 9)%11 == int(s[9]-'0')
}

// hungarian: number of a person: sex, birth date, serial, check by 11 from either side.
func hungarian(s string) bool {
	check := int(s[10] - '0')
	return s[0] >= '1' && s[0] <= '8' && date(s[5:7], s[3:5]) &&
		(weighted(s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)%11 == check || weighted(s, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)%11 == check)
}

// oib: Croatian number, ISO 7064 MOD 11,10.
func oib(s string) bool { return iso7064(s) }

// jmbg: number of the states that were Yugoslavia: a birth date and a check by 11.
func jmbg(s string) bool {
	check := 11 - weighted(s, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	return date(s[:2], s[2:4]) && check != 10 && check%11 == int(s[12]-'0') || date(s[:2], s[2:4]) && check == 10 && s[12] == '0'
}

// davcna: Slovenian tax number, by 11.
func davcna(s string) bool {
	return s[0] != '0' && (11-weighted(s, 8, 7, 6, 5, 4, 3, 2)%11)%11%10 == int(s[7]-'0')
}

// ukrainian: taxpayer number: days since 1900, serial, check by 11.
func ukrainian(s string) bool {
	sum := weighted(s[1:], 5, 7, 9, 4, 6, 10, 5, 7) - int(s[0]-'0')
	return (sum%11+11)%11%10 == int(s[9]-'0')
}

// snils: Russian pension insurance number: the weighted sum by 101.
func snils(s string) bool {
	return weighted(s, 9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == mod(s[9:], 100)
}

// inn: Russian taxpayer number of a person, two check digits.
func inn(s string) bool {
	return weighted(s, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(s[10]-'0') && weighted(s, 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(s[11]-'0')
}

// utr: British taxpayer reference: the first digit checks the others.
func utr(s string) bool {
	return "21987654321"[weighted(s[1:], 6, 7, 8, 9, 10, 5, 4, 3, 2)%11] == s[0]
}
