package egress

import "strings"

func always(string) bool { return true }

func ssnHolds(s string) bool {
	return s[:3] != "000" && s[:3] != "666" && s[0] != '9' && s[3:5] != "00" && s[5:] != "0000" && strings.Count(s, s[:1]) != len(s)
}

func itinHolds(s string) bool {
	g := s[3:5]
	return s[0] == '9' && (g >= "50" && g <= "65" || g >= "70" && g <= "88" || g >= "90" && g <= "92" || g >= "94")
}

// mbi: number of the American health insurance for the old: some letters are never used.
func mbi(s string) bool { return s[0] != '0' && !strings.ContainsAny(s, "SLOIBZ") }

// ontario: Canadian health card, the check of cards.
func ontario(s string) bool { return s[0] != '0' && luhn(s[:10]) }

// rfc: Mexican tax code of a person; the birth date inside must be one.
func rfc(s string) bool { return date(s[8:10], s[6:8]) }

// pis: Brazilian number of social insurance, by 11.
func pis(s string) bool {
	check := 11 - weighted(s, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)%11
	return check%11%10 == int(s[10]-'0')
}

// cuil: Argentine number of a person, by 11; others belong to firms.
func cuil(s string) bool {
	if !strings.Contains("20 23 24 25 26 27", s[:2]) {
		return false
	}
	check := 11 - weighted(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)%11
	return check%11 == int(s[10]-'0') || check == 10 && s[10] == '9'
}

// rut: Chilean number of a person, by 11; from 50 million on they belong to firms.
func rut(s string) bool {
	n, sum := len(s)-1, 0
	for i := range n {
		if s[i] > '9' {
			return false
		}
		sum += int(s[n-1-i]-'0') * (2 + i%6)
	}
	return "0K987654321"[sum%11] == s[n] && (n < 8 || s[0] < '5')
}

// ecuadorian: the province and the check of cards.
func ecuadorian(s string) bool {
	return (s[:2] >= "01" && s[:2] <= "24" || s[:2] == "30") && s[2] < '6' && luhn(s)
}

func venezuelan(s string) bool { return s[0] == 'V' || s[0] == 'E' }

// uruguayan: weights 2987634, by 10.
func uruguayan(s string) bool {
	return len(s) == 8 && (10-weighted(s, 2, 9, 8, 7, 6, 3, 4)%10)%10 == int(s[7]-'0')
}

// pan: Indian tax number; the fourth letter tells what kind of holder.
func pan(s string) bool { return strings.ContainsRune("PCHFATBLJG", rune(s[3])) }

// pakistani: the first digit is a province.
func pakistani(s string) bool { return s[0] >= '1' && s[0] <= '7' }

// hongKong: letters and digits by 11.
func hongKong(s string) bool {
	if s[len(s)-2] > '9' {
		return false
	}
	full, sum := s, 0
	if len(s) == 8 {
		sum, full = 36*9, " "+s
	} else {
		sum = (int(s[0]-'A') + 10) * 9
	}
	for i := 1; i < 8; i++ {
		n := int(full[i] - '0')
		if full[i] >= 'A' {
			n = int(full[i]-'A') + 10
		}
		sum += n * (9 - i)
	}
	return "0A987654321"[sum%11] == s[len(s)-1]
}

// taiwanese: the letter is a place and counts as two digits.
func taiwanese(s string) bool {
	n := strings.IndexByte("ABCDEFGHJKLMNPQRSTUVXYWZIO", s[0]) + 10
	return (s[1] == '1' || s[1] == '2' || s[1] == '8' || s[1] == '9') && (n/10+n%10*9+weighted(s[1:], 8, 7, 6, 5, 4, 3, 2, 1, 1))%10 == 0
}

// myNumber: Japanese number of a person, by 11.
func myNumber(s string) bool {
	rest := weighted(s, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
	return rest <= 1 && s[11] == '0' || rest > 1 && 11-rest == int(s[11]-'0')
}

// thai: weights 13 to 2, by 11.
func thai(s string) bool {
	return s[0] != '0' && s[0] != '9' && (11-weighted(s, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%10 == int(s[12]-'0')
}

// nik: Indonesian number: a place and a birth date, women have 40 more in the day.
func nik(s string) bool {
	day := mod(s[6:8], 100) % 40
	return s[0] != '0' && day >= 1 && day <= 31 && s[8:10] >= "01" && s[8:10] <= "12"
}

// malaysian: a birth date and a place.
func malaysian(s string) bool { return date(s[4:6], s[2:4]) }

// israeli: the check of cards.
func israeli(s string) bool { return luhn(s) }

// emirati: the code of the country, a year, the check of cards.
func emirati(s string) bool {
	return s[:3] == "784" && s[3:7] >= "1900" && s[3:7] < "2040" && luhn(s)
}

// saudi: 1 for citizens and 2 for residents, the check of cards.
func saudi(s string) bool { return (s[0] == '1' || s[0] == '2') && luhn(s) }

// egyptian: century and birth date.
func egyptian(s string) bool { return (s[0] == '2' || s[0] == '3') && date(s[5:7], s[3:5]) }

// iranian: weights 10 to 2, by 11.
func iranian(s string) bool {
	rest, check := weighted(s, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11, int(s[9]-'0')
	return rest < 2 && rest == check || rest >= 2 && 11-rest == check
}

// kazakh: a birth date and a check by 11.
func kazakh(s string) bool {
	rest := weighted(s, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) % 11
	if rest == 10 {
		rest = weighted(s, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2) % 11
	}
	return date(s[4:6], s[2:4]) && rest == int(s[11]-'0')
}

// medicare: Australian health insurance number, by 10.
func medicare(s string) bool {
	return s[0] >= '2' && s[0] <= '6' && weighted(s, 1, 3, 7, 9, 1, 3, 7, 9)%10 == int(s[8]-'0')
}

// ird: New Zealand tax number, by 11 with two sets of weights.
func ird(s string) bool {
	if len(s) == 8 {
		s = "0" + s
	}
	rest, check := weighted(s, 3, 2, 7, 6, 5, 4, 3, 2)%11, int(s[8]-'0')
	if rest == 1 {
		rest = weighted(s, 7, 4, 3, 2, 5, 2, 7, 6) % 11
	}
	return (11-rest)%11 == check
}

// nhi: New Zealand health number; two letters are never used.
func nhi(s string) bool { return !strings.ContainsAny(s[:3], "IO") }
