package egress

import (
	"strconv"
	"strings"
)

// The checks below follow the rules that the states publish. Each gets digits and capital letters only, in the number
// that its form allows.

// steuerID: German tax id. One digit of the first ten stands twice or thrice; the last is ISO 7064 MOD 11,10.
func steuerID(s string) bool { return len(s) == 11 && s[0] != '0' && iso7064(s) }

// iso7064 is the check of ISO 7064 MOD 11,10.
func iso7064(s string) bool {
	product := 10
	for i := range len(s) - 1 {
		sum := (int(s[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return (11-product)%10 == int(s[len(s)-1]-'0')
}

// versicherung: German pension insurance number, area, birth date, letter, serial, check.
func versicherung(s string) bool {
	if len(s) != 12 || !date(s[2:4], s[4:6]) {
		return false
	}
	letter := int(s[8]-'A') + 1
	digits := s[:8] + strconv.Itoa(letter/10) + strconv.Itoa(letter%10) + s[9:11]
	sum := 0
	for i, w := range []int{2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1} {
		p := int(digits[i]-'0') * w
		sum += p/10 + p%10
	}
	return sum%10 == int(s[11]-'0')
}

// nir: French number, the last two digits are 97 less the rest by 97; Corsica counts as 19 and 18.
func nir(s string) bool {
	if len(s) != 15 {
		return false
	}
	s = strings.NewReplacer("2A", "19", "2B", "18").Replace(s)
	month := mod(s[3:5], 100)
	return strings.ContainsRune("123478", rune(s[0])) && month >= 1 && (month <= 12 || month >= 20) && 97-mod(s[:13], 97) == mod(s[13:], 100)
}

// dni: Spanish number of residents (DNI) and foreigners (NIE): the letter is the number by 23.
func dni(s string) bool {
	if len(s) != 9 {
		return false
	}
	s = strings.NewReplacer("X", "0", "Y", "1", "Z", "2").Replace(s[:1]) + s[1:]
	for _, r := range s[:8] {
		if r < '0' || r > '9' {
			return false
		}
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[mod(s[:8], 23)] == s[8]
}

// codice: Italian code; signs at odd places count by a table of their own.
func codice(s string) bool {
	if len(s) != 16 {
		return false
	}
	odd := []int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0
	for i := range 15 {
		n := int(s[i] - '0')
		if s[i] >= 'A' {
			n = int(s[i] - 'A')
		}
		if i%2 == 0 {
			n = odd[n]
		}
		sum += n
	}
	return byte('A'+sum%26) == s[15]
}

// bsn: Dutch number, weights 9 to 2 and -1, by 11.
func bsn(s string) bool {
	return len(s) == 9 && s != "000000000" && weighted(s, 9, 8, 7, 6, 5, 4, 3, 2, -1)%11 == 0
}

// nino: British number; some pairs of letters are never given.
func nino(s string) bool {
	return len(s) == 9 && !strings.Contains("BG GB KN NK NT TN ZZ", s[:2]) && !strings.ContainsAny(s[:2], "DFIQUV") && s[1] != 'O' && s[8] <= 'D'
}

// pesel: Polish number, weights 1 3 7 9.
func pesel(s string) bool {
	return len(s) == 11 && (10-weighted(s, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3)%10)%10 == int(s[10]-'0')
}

// ahv: Swiss number, the check of bar codes.
func ahv(s string) bool {
	return len(s) == 13 && s[:3] == "756" && (10-weighted(s, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3)%10)%10 == int(s[12]-'0')
}

// belgian: the last two digits are 97 less the rest by 97; those born from 2000 on put a 2 before it.
func belgian(s string) bool {
	if len(s) != 11 {
		return false
	}
	check := mod(s[9:], 100)
	return 97-mod(s[:9], 97) == check || 97-mod("2"+s[:9], 97) == check
}

// nifPT: Portuguese number, weights 9 to 2, by 11.
func nifPT(s string) bool {
	if len(s) != 9 {
		return false
	}
	rest := weighted(s, 9, 8, 7, 6, 5, 4, 3, 2) % 11
	return max(11-rest, 0)%11%10 == int(s[8]-'0') && (rest > 1 || s[8] == '0')
}

// austrian: the fourth digit checks the other nine.
func austrian(s string) bool {
	return len(s) == 10 && s[0] != '0' && weighted(s, 3, 7, 9, 0, 5, 8, 4, 2, 1, 6)%11 == int(s[3]-'0')
}

// irish: the letter is the weighted sum by 23, a second letter counts nine times.
func irish(s string) bool {
	sum := weighted(s, 8, 7, 6, 5, 4, 3, 2)
	if len(s) == 9 {
		sum += 9 * (int(s[8]-'A') + 1) % 23
	}
	return "WABCDEFGHIJKLMNOPQRSTUV"[sum%23] == s[7] || len(s) == 9 && s[8] == 'W' && "WABCDEFGHIJKLMNOPQRSTUV"[weighted(s, 8, 7, 6, 5, 4, 3, 2)%23] == s[7]
}
