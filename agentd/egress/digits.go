package egress

import (
	"strings"

	"gatehouse/agentd/lazyre"
)

// bare keeps the digits and letters of a number.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		if r >= 'a' && r <= 'z' {
			return r - 32
		}
		return -1
	}, s)
}

// luhn is the check of payment cards and some national numbers.
func luhn(s string) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// weighted sums digits times weights.
func weighted(s string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += int(s[i]-'0') * w
	}
	return sum
}

// mod is the remainder of a decimal number of any length.
func mod(s string, n int) (rest int) {
	for i := range len(s) {
		rest = (rest*10 + int(s[i]-'0')) % n
	}
	return rest
}

// date says whether two-digit day and month can be.
func date(dd, mm string) bool {
	return dd >= "01" && dd <= "31" && mm >= "01" && mm <= "12"
}

// before and behind are how far, in bytes, a word that names a number may stand from it.
const (
	before = 70
	behind = 30
)

// around is the lower-case text near a place.
func (m *message) around(from, to int) string {
	return m.lower[max(0, from-before):min(len(m.lower), to+behind)]
}

// label is the lower-case text just before a place.
func (m *message) label(from int) string { return m.lower[max(0, from-40):from] }

// otherNumber matches words that say that a number is of a thing, at the end of what stands before it.
var otherNumber = lazyre.MustCompile(`(?:order|bestell|auftrag|rechnung|invoice|facture|factura|fattura|commande|pedido|ordine|tracking|sendung|parcel|paket|shipment|serial|serien|imei|isbn|ean|gtin|sku|part|article|artikel|item|ticket|case|vorgang|reference|referenz|ref\b|rma|po\b|customer|kunden|client|contract|vertrag|model|version|build|transaction|transaktion|batch|lot\b|license key|barcode|asin|tel|phone|fax|hotline|zam[oó]wieni|faktur|zlecen|id\b|uuid|commit|hash|booking|buchung|meter|z[aä]hler|rezerv|reserv|bokning|megrendel|rendel[eé]s|objedn[aá]v|z[aá]silk|zakaz|заказ|отправлен|замовлен|tilaus|varaus|ordre|sipari[sş]|kargo|comand[aă]|narud[zž]b|παραγγελ|订单|訂單|快递|运单|注文|予約|発注|주문|송장|voucher|coupon|gift ?card|gutschein|loyalty|membership card|kundenkarte|bonus ?card|meeting|conference|webinar|ocr|vs|viite|viitenumero|payment reference|container|awb|waybill|licen[cs]e key|token|trace|span|checksum|digest|sha\d*|iccid|sim|imsi|eid|meid|vin\b|upc|pzn|policy template|account manager|fax)[^\n\d]{0,18}$`)

// ofThing says whether the number at from is named as that of a thing.
func (m *message) ofThing(from int) bool { return otherNumber.MatchString(m.label(from)) }

// otherNumbers matches words that say that several numbers are of things, at the end of what stands before one of them.
var otherNumbers = lazyre.MustCompile(`(?:order|bestell|auftrags?|rechnungs?|invoice|tracking|sendungs?|parcel|shipment|serial|serien|part|article|artikel|item|ticket|case|reference|referenz|customer|kunden|client|contract|vertrags?|model|batch|product|produkt|stock|teile)s?[ -]?(?:numbers|nos?\.|nrs?\.|nummern|codes)[^\n\d]{0,6}(?:\d[\d ./-]{3,20}[^\n\d]{0,18}){1,4}$`)

// listedThing says whether the number at from stands in a list of such numbers.
func (m *message) listedThing(from int) bool {
	return otherNumbers.MatchString(m.lower[max(0, from-160):from])
}

// inLink says whether a place is inside a link.
func (m *message) inLink(from int) bool {
	field := m.text[max(0, from-300):from]
	if i := strings.LastIndexAny(field, " \n\t\"'<>"); i >= 0 {
		field = field[i+1:]
	}
	return strings.Contains(field, "://") || strings.HasPrefix(field, "www.")
}
