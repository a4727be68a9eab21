package egress

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse/agentd/linear"
	"gatehouse/agentd/redact"
)

func TestScan_table(t *testing.T) {
	t.Parallel()
	s := Scanner{Secrets: redact.New()}
	known := []string{"anna@acme.example"}
	for text, want := range map[string]Decision{
		"Hello Anna, see you at five.": Allow,
		"My SSN is 536-22-1748.":       Escalate,
		"Card 4111 1111 1111 1111":     Block,
		"536-22-1748, 536-22-1749, 212-45-6789, 457-55-5462 and 509-22-3311":      Block, // one is a case, five are a list
		"Please transfer 20 EUR to our account IBAN DE89 3704 0044 0532 0130 00.": Allow,
	} {
		v := s.Scan(Outgoing{Channel: "mail", Recipient: "Anna <Anna@ACME.example>", Known: known, Text: text})
		if v.Decision != want || len(v.Findings) > len(v.Reasons) {
			t.Errorf("%q: %v", text, v)
		}
	}
	v := s.Scan(Outgoing{Recipient: "x@else.example", Known: known, Text: "Please transfer 20 EUR to our account IBAN DE89 3704 0044 0532 0130 00."})
	if v.Decision != Escalate || len(v.Findings) != 2 {
		t.Errorf("own account to a stranger: %v", v)
	}
}

// TestScan_unlooked: without something that finds secrets nothing may leave.
func TestScan_unlooked(t *testing.T) {
	t.Parallel()
	if v := (Scanner{}).Scan(Outgoing{Text: "Hello"}); v.Decision != Block {
		t.Errorf("got %v", v)
	}
}

// TestIdentities_checkDigits: a published example holds, and no other last sign does.
func TestIdentities_checkDigits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		holds  func(string) bool
		number string
	}{
		"steuer": {steuerID, "86095742719"}, "rente": {versicherung, "65180539W001"}, "nir": {nir, "255081416802538"}, "dni": {dni, "12345678Z"},
		"nie": {dni, "X1234567L"}, "codice": {codice, "RSSMRA80A01H501U"}, "bsn": {bsn, "111222333"}, "pesel": {pesel, "44051401359"},
		"ahv": {ahv, "7569217076985"}, "belgian": {belgian, "85073003328"}, "nif": {nifPT, "123456789"}, "austrian": {austrian, "1237010180"},
		"swedish": {swedish, "8112289874"}, "finnish": {finnish, "131052308T"}, "czech": {czech, "7360285163"}, "sin": {sin, "046454286"},
		"cpf": {cpf, "11144477735"}, "aadhaar": {aadhaar, "234123412346"}, "turkish": {turkish, "10000000146"}, "nhs": {nhs, "9434765919"},
		"chinese": {chinese, "11010519491231002X"}, "irish": {irish, "1234567T"}, "tfn": {tfn, "123456782"}, "nric": {nric, "S1234567D"},
		"kvnr":       {kvnr, "A123456780"},
		"luxembourg": {luxembourgish, "1893120105732"},
		"nss":        {nss, "281234567840"},
		"oib":        {oib, "69435151530"},
		"taj":        {taj, "111111110"},
		"cnp":        {cnp, "1860517400011"},
		"egn":        {egn, "7523169263"},
		"baltic":     {baltic, "37605030299"},
		"emso":       {jmbg, "0101006500006"},
		"amka":       {amka, "03018501233"},
		"snils":      {snils, "11223344595"},
		"rut":        {rut, "123456785"},
		"cuil":       {cuil, "20273456784"},
		"myNumber":   {myNumber, "123456789018"},
		"thai":       {thai, "1101700201236"},
		"ird":        {ird, "049091850"},
		"israeli":    {israeli, "039268172"},
		"inn":        {inn, "500100732259"},
		"ukrainian":  {ukrainian, "1759013776"},
		"uruguayan":  {uruguayan, "12345672"},
		"ecuadorian": {ecuadorian, "1710034065"},
		"iranian":    {iranian, "0499370899"},
		"hongKong":   {hongKong, "A1234563"},
		"taiwanese":  {taiwanese, "A123456789"},
		"pis":        {pis, "12056412545"},
		"emirati":    {emirati, "784198012345678"},
		"saudi":      {saudi, "1000000008"},
		"adojel":     {adojel, "8071592153"},
		"iban":       {ibanHolds, "DE89370400440532013000"}, "card": {luhn, "4111111111111111"},
	} {
		others := 0
		for _, last := range "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			number := c.number[:len(c.number)-1] + string(last)
			alike := (last <= '9') == (c.number[len(c.number)-1] <= '9')
			if alike && number != c.number && c.holds(number) {
				others++
			}
		}
		if !c.holds(c.number) || others > 0 {
			t.Errorf("%s: holds %v, %d other last signs hold", name, c.holds(c.number), others)
		}
	}
}

func TestRecipient(t *testing.T) {
	t.Parallel()
	known := []string{"Anna Klein <anna@acme.example>", "anna.klein@acme.example", "@partner.example", "api.shop.example", "tom@gmail.com"}
	for to, want := range map[string]Kind{
		"anna@acme.example": "", "ANNA@acme.example": "", "anna@acme.example.": "", "anyone@partner.example": "", "https://api.shop.example/v1/x": "",
		"anna@acrne.example": LookAlike, "anna@acme-pay.example": LookAlike, "anna@acme.example.evil.test": LookAlike, "anna@аcme.example": LookAlike,
		"anna.klien@acme.example": LookAlike, "tom@gmial.com": LookAlike, "anna.acme@gmail.com": LookAlike,
		"else@nowhere.test": New, "boss@acme.example": New, "jim@gmail.com": New, "": New, "anna@acme.example, eve@evil.test": New,
	} {
		var f found
		f.recipient(Outgoing{Recipient: to, Known: known})
		got := Kind("")
		if len(f.kinds) > 0 {
			got = f.kinds[0]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", to, got, want)
		}
	}
}

func TestCounter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewCounter(Limits{Span: time.Hour, PerRecipient: 2, Overall: 4, Recipients: 3}, time.Now)
		s := Scanner{Secrets: redact.New(), Volume: c}
		send := func(to string) Decision {
			v := s.Scan(Outgoing{Recipient: to, Text: "Hello"})
			if v.Decision == Allow {
				c.Note(to)
			}
			return v.Decision
		}
		for i, step := range []struct {
			to   string
			want Decision
		}{{"a@x.test", Allow}, {"A@x.test", Allow}, {"a@x.test", Escalate}, {"b@x.test", Allow}, {"c@x.test", Allow}, {"b@x.test", Escalate}, {"d@x.test", Escalate}} {
			if got := send(step.to); got != step.want {
				t.Errorf("step %d: %s", i, got)
			}
		}
		time.Sleep(time.Hour)
		if got := send("d@x.test"); got != Allow {
			t.Errorf("an hour later: %s", got)
		}
	})
}

// TestScan_repetition: no sign makes the time grow with the square of the text.
func TestScan_repetition(t *testing.T) {
	t.Parallel()
	s := Scanner{Secrets: redact.New()}
	for _, piece := range []string{"|\n", "x//", "10.1.1.1 ", "routing 1", "a: b\n", "4111 "} {
		linear.Check(t, piece, 8<<10, func(n int) { s.Scan(Outgoing{Text: strings.Repeat(piece, n/len(piece))}) })
	}
	for _, piece := range []string{"1-2-", "1 "} { // signs that each stand alone; to the most that is read
		linear.Check(t, piece, largest/4, func(n int) { s.Scan(Outgoing{Text: strings.Repeat(piece, n/len(piece))}) })
	}
}

// TestScan_long: of a long text the ends are read, and nobody but a person lets the rest go. Secrets are looked for in all
// of it.
func TestScan_long(t *testing.T) {
	t.Parallel()
	s := Scanner{Secrets: redact.New()}
	half := strings.Repeat(ordinary, largest/len(ordinary)+1)
	const card, key = "\n\nMy card: 4111 1111 1111 1111\n\n", "\n\nghp_aB3dE6gH9kaB3dE6gH9kaB3dE6gH9kaB3dE6\n\n"
	for name, tc := range map[string]struct {
		text string
		want Decision
	}{
		"at the beginning":        {card + half + half, Block},
		"at the end":              {half + half + card, Block},
		"in between":              {half + card + half, Escalate},
		"a secret in between":     {half + key + half, Block},
		"nothing, and much of it": {half + half, Escalate},
		"no more than is read":    {half[:largest-len(card)] + card, Block},
	} {
		if v := s.Scan(Outgoing{Text: tc.text}); v.Decision != tc.want {
			t.Errorf("%s: %s %v", name, v.Decision, v.Reasons)
		}
	}
	if n := len(ends(strings.Repeat("1-2-", 1<<20))); n > largest+1 {
		t.Errorf("%d bytes are read", n)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "https://a.test/?q=%zz", "a,b\n1,2", "BEGIN:VCARD", strings.Repeat("İ", 40) + "536-22-1748", "\xff\U000e0041"} {
		f.Add(s)
	}
	s := Scanner{Secrets: redact.New()}
	f.Fuzz(func(t *testing.T, text string) {
		plainly := s.Scan(Outgoing{Text: text})
		carded := s.Scan(Outgoing{Text: text + "\n\nMy card: 4111 1111 1111 1111\n"})
		if carded.Decision != Block || stricter(plainly.Decision, carded.Decision) != Block {
			t.Errorf("%q: a card passes", text)
		}
	})
}
