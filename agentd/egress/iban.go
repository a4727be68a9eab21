package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// ibanLength is the length of account numbers by country, as the registry of the standard lists them.
var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27, "BR": 29, "BY": 28, "CH": 21, "CR": 22,
	"CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22,
	"GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30,
	"KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27,
	"MT": 31, "MU": 30, "NI": 28, "NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "RU": 33,
	"SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29,
	"VA": 22, "VG": 24, "XK": 20, "YE": 30, "HN": 28,
	// Not in the registry, but in use.
	"AO": 25, "BF": 28, "BJ": 28, "CF": 27, "CG": 27, "CI": 28, "CM": 27, "CV": 25, "DZ": 26, "GA": 27, "GQ": 27, "GW": 25, "IR": 26, "KM": 27,
	"MA": 28, "MG": 27, "ML": 28, "MZ": 25, "NE": 28, "SN": 28, "TD": 27, "TG": 28,
}

// shortestIBAN is the length of the shortest account number.
const shortestIBAN = 15

// ibans gives the different account numbers and where each first stands.
func (m *message) ibans() map[string]int {
	all := map[string]int{}
	for i, t := range m.tokens {
		if t.size() < 2 || t.size() > 6 && t.size() < shortestIBAN || t.digits == 0 && (i+1 == len(m.tokens) || m.tokens[i+1].digits == 0) {
			continue
		}
		if s := m.ibanAt(i); s != "" {
			if _, ok := all[s]; !ok {
				all[s] = t.from
			}
		}
	}
	return all
}

// ibanAt gives the account number that begins with a token. Its country says how long it is.
func (m *message) ibanAt(i int) string {
	head := bare(m.text[m.tokens[i].from:min(len(m.text), m.tokens[i].from+6)])
	if len(head) < 4 || head[2] > '9' || head[3] > '9' {
		return ""
	}
	n, s, even, last := ibanLength[head[:2]], "", true, m.tokens[i].from
	for j := i; n > 0 && len(s) < n && j < len(m.tokens); j++ {
		t := m.tokens[j]
		if j > i && !accountGap(m.text[last:t.from]) {
			break
		}
		even = even && (len(s)%4 == 0 || len(s) == 2)
		s, last = s+bare(m.text[t.from:t.to]), t.to
	}
	if n == 0 || len(s) != n || !ibanHolds(s) || !even && !accountWord.MatchString(m.around(m.tokens[i].from, last)) {
		return ""
	}
	return s
}

// accountWord names a number as that of an account: one that is not in groups of four needs it.
var accountWord = lazyre.MustCompile(`iban|kont|acc(?:oun)?t|compte|cuenta|rekening|rachun|számla|tili|kto\b|účet|račun|bank|pa(?:y|id)|λογαριασμ|сч[её]т|hesap|wallet|[uü]berweis|virement|bonifico|transfer`)

// accountGap says whether signs stand between the groups of one number.
func accountGap(gap string) bool { return len(gap) <= 2 && strings.Trim(gap, " .-/") == "" }

// ibanHolds checks the remainder by 97, with the first four signs moved to the end.
func ibanHolds(s string) bool {
	var b strings.Builder
	for _, r := range s[4:] + s[:4] {
		if r >= 'A' {
			b.WriteString([]string{"1", "2", "3"}[(r-'A')/10])
			b.WriteByte(byte('0' + (r-'A')%10))
			continue
		}
		b.WriteRune(r)
	}
	return mod(b.String(), 97) == 1
}
