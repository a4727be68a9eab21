package egress

import "strings"

// swedish: birth date and Luhn over the last ten digits.
func swedish(s string) bool {
	if len(s) == 12 {
		s = s[2:]
	}
	return len(s) == 10 && (date(s[4:6], s[2:4]) || s[4] >= '6' && s[4] <= '9' && s[2:4] >= "01" && s[2:4] <= "12") && luhn(s)
}

// danish: a birth date; the check digit is no longer kept.
func danish(s string) bool { return len(s) == 10 && date(s[:2], s[2:4]) }

// norwegian: birth date and two check digits.
func norwegian(s string) bool {
	return len(s) == 11 && weighted(s, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 && weighted(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

// finnish: date and serial by 31 give the last sign. The sign of the century is gone when it was none of letter or digit.
func finnish(s string) bool {
	n := len(s)
	if n != 10 && n != 11 || !date(s[:2], s[2:4]) {
		return false
	}
	return "0123456789ABCDEFHJKLMNPRSTUVWXY"[mod(s[:6]+s[n-4:n-1], 31)] == s[n-1]
}

// czech: birth date, women have 50 more in the month; ten digits are divisible by 11.
func czech(s string) bool {
	if len(s) < 9 {
		return false
	}
	month := mod(s[2:4], 100) % 50
	if month == 0 || month > 12 && (month < 21 || month > 32) || s[4:6] < "01" || s[4:6] > "31" {
		return false
	}
	return len(s) == 9 || mod(s, 11) == 0 || mod(s[:9], 11) == 10 && s[9] == '0'
}

// cnp: Romanian number.
func cnp(s string) bool {
	check := weighted(s, 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
	return date(s[5:7], s[3:5]) && (check == 10 && s[12] == '1' || check < 10 && check == int(s[12]-'0'))
}

// egn: Bulgarian number; the month tells the century.
func egn(s string) bool {
	month := mod(s[2:4], 100) % 20
	return month >= 1 && month <= 12 && weighted(s, 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == int(s[9]-'0')
}

// turkish: two check digits over sums of places.
func turkish(s string) bool {
	odd, even := weighted(s, 1, 0, 1, 0, 1, 0, 1, 0, 1), weighted(s, 0, 1, 0, 1, 0, 1, 0, 1)
	return ((odd*7-even)%10+10)%10 == int(s[9]-'0') && weighted(s, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)%10 == int(s[10]-'0')
}

// sin: Canadian number, Luhn.
func sin(s string) bool { return len(s) == 9 && s[0] != '8' && luhn(s) }

// tfn: Australian number of eight or nine digits, by 11.
func tfn(s string) bool {
	if len(s) == 8 {
		return weighted(s, 10, 7, 8, 4, 6, 3, 5, 1)%11 == 0
	}
	return len(s) == 9 && weighted(s, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0
}

// cpf: Brazilian number with two check digits.
func cpf(s string) bool {
	if strings.Count(s, s[:1]) == len(s) {
		return false
	}
	first := weighted(s, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	second := weighted(s, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2) * 10 % 11 % 10
	return first == int(s[9]-'0') && second == int(s[10]-'0')
}

// nhs: British health number, by 11.
func nhs(s string) bool {
	check := 11 - weighted(s, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11
	return check != 10 && check%11 == int(s[9]-'0')
}

// nric: number of Singapore; the letter is the weighted sum by 11.
func nric(s string) bool {
	sum := weighted(s[1:], 2, 7, 6, 5, 4, 3, 2)
	switch s[0] {
	case 'S', 'T':
		return "JZIHGFEDCBA"[(sum+4*b2i(s[0] == 'T'))%11] == s[8]
	case 'F', 'G':
		return "XWUTRQPNMLK"[(sum+4*b2i(s[0] == 'G'))%11] == s[8]
	}
	return "KLJNPQRTUWX"[10-(sum+3)%11] == s[8]
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// korean: birth date; the check digit is no longer kept.
func korean(s string) bool { return s[6] >= '1' && s[6] <= '8' && date(s[4:6], s[2:4]) }

// chinese: ISO 7064 MOD 11-2.
func chinese(s string) bool {
	return date(s[12:14], s[10:12]) && strings.Contains("18 19 20", s[6:8]) && "10X98765432"[weighted(s, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == s[17]
}

// southAfrican: birth date and Luhn.
func southAfrican(s string) bool { return len(s) == 13 && date(s[4:6], s[2:4]) && luhn(s) }

// curp: Mexican code; the birth date inside must be one.
func curp(s string) bool { return strings.ContainsRune("HMX", rune(s[10])) && date(s[8:10], s[6:8]) }

// aadhaar: Indian number, the check of Verhoeff.
func aadhaar(s string) bool { return len(s) == 12 && s[0] >= '2' && verhoeff(s) }

// verhoeff is a check that finds every single slip and every swap.
func verhoeff(s string) bool {
	c := 0
	for i := range len(s) {
		c = dihedral(c, permuted(i%8, int(s[len(s)-1-i]-'0')))
	}
	return c == 0
}

// dihedral multiplies in the symmetry group of a pentagon.
func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b+5)%5
	}
	return (a - b + 5) % 5
}

// permuted applies Verhoeff's permutation n times.
func permuted(n, digit int) int {
	for range n {
		digit = int("1576283094"[digit] - '0')
	}
	return digit
}
