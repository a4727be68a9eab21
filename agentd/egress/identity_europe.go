package egress

// european are the numbers of the states of Europe, by published form and check digits.
var european = []identity{
	// German-speaking states.
	{NationalID, `99_999_999_999`, steuerID, `steuer-id|steuerid|steuer id|steueridentifik|idnr$|id-nr$|identifikationsnummer|steuerliche|TIN$`, checked},
	{NationalID, `99999999A999|99 999999 A 999|99 999999A999|99-999999-A-999`, versicherung, `sozialvers|rentenvers|svnr|sv-nummer|sv-nr|rvnr|versicherungsn`, rare},
	{NationalID, `A999999999|A999 999 999|A 999 999 999`, kvnr, `krankenvers|versichertenn|kvnr|gesundheitskarte|egk$`, checked},
	{NationalID, `9999999999|9999 999999|9999-999999|9999/999999|9999 99 99 99`, austrian, `sozialvers|sv-n|svn$|svnr|versicherungsn|vsnr|e-card`, checked},
	{NationalID, `999.9999.9999.99|9999999999999|999 9999 9999 99`, ahv, `ahv|avs$|oasi$|navs|sozialvers`, rare},
	// France, Belgium, Luxembourg, the Netherlands.
	{NationalID, `999999999999999|9 99 99 99 999 999 99|9 99 99 9A 999 999 99|999999A99999999|9 99 99 99 999 999 / 99|9 99 99 99 999 999-99`, nir, `sécu|secu$|nir$|insee|assuré|numéro de sécu`, rare},
	{NationalID, `9999999999999|99 99 999 999 999`, spi, `numéro fiscal|numero fiscal|n° fiscal|référence fiscale|SPI$`, weak},
	{NationalID, `99.99.99-999.99|99.99.99 999.99|99 99 99 999 99|99.99.99-999-99|999999-999-99|999999-999.99|99999999999`, belgian, `rijksregister|registre national|niss$|insz|nrn$|national register|numéro national`, checked},
	{NationalID, `9999999999999|9999 9999 999 99|99999999 99999`, luxembourgish, `matricule|CNS$|luxembourg`, checked},
	{NationalID, `9999_99_999|999_999_999`, bsn, `bsn$|bsn-|burgerservice|sofinummer|sofi-n|persoonsnummer`, checked},
	// The south.
	{NationalID, `99999999_A|99.999.999-A|99.999.999A|99.999.999 A`, dni, `dni$|nif$|documento|identidad|identity`, rare},
	{NationalID, `A9999999A|A-9999999-A|A 9999999 A|A9999999-A|A-9999999A`, dni, `NIE$|extranjer`, rare},
	{NationalID, `99_99999999_99|99/99999999/99|99/9999999999|999999999999`, nss, `seguridad social|nuss$|NSS$|afiliaci`, checked},
	{NationalID, `AAAAAAXXAXXAXXXA|AAAAAA 99A99 A999A|AAA AAA 99A99 A999A|AAAAAA-99A99-A999A`, codice, `codice fiscale|cod. fisc|c.f.|cod.fisc|codfisc`, rare},
	{NationalID, `999_999_999`, nifPT, `nif$|contribuinte|cidadão|cidadao|finanças`, checked},
	{NationalID, `99999999 9 AX9|999999999AX9`, always, `cidadão|cidadao|cartão de cid|citizen card|bilhete de ident`, weak},
	{NationalID, `99999999999`, niss, `niss$|segurança social|seguranca social`, checked},
	{NationalID, `99999999999|999999-99999|999999 99999`, amka, `αμκα|amka`, checked},
	{NationalID, `9999999A`, maltese, `id card|karta tal|malta|maltese`, weak},
	// The north.
	{NationalID, `999999-9999|99999999-9999|999999+9999`, swedish, `personnummer|personnr|pnr$|samordningsn|personnumm`, rare},
	{NationalID, `9999999999|999999999999|999999 9999`, swedish, `personnummer|personnr|pnr$|samordningsn`, checked},
	{NationalID, `999999_9999`, danish, `cpr$|cpr-|cprn|personnummer`, weak},
	{NationalID, `99999999999|999999 99999|99 99 99 99999`, norwegian, `fødsels|fodsels|personnummer|fnr$|d-nummer|personnr`, checked},
	{NationalID, `999999-999X|999999A999X|999999+999X`, finnish, `hetu$|hetu:|henkilötun|personbeteckning|henkilöt`, rare},
	{NationalID, `999999-9999|9999999999`, icelandic, `kennitala|kennitölu|kt.|kennit`, checked},
	{NationalID, `99999999999`, baltic, `isikukood|asmens kod|a.k.|personal code|isiku`, checked},
	{NationalID, `999999-99999|99999999999`, latvian, `personas kod|pers. kods|personas k`, checked},
	// The east.
	{NationalID, `99999999999`, pesel, `pesel`, checked},
	{NationalID, `999999/9999|999999/999|9999999999`, czech, `rodné|rodne|rodného|r. č|r.č|r. c.|rodným`, checked},
	{NationalID, `999999/9999`, czechTen, `rodné|rodne`, rare},
	{NationalID, `999_999_999`, taj, `TAJ$|taj-|tajsz|társadalombizt|tb szám`, checked},
	{NationalID, `9999999999`, adojel, `adóazonosító|adoazonosito|adójel`, checked},
	{NationalID, `9-999999-9999|9 999999 9999|99999999999`, hungarian, `személyi|szemelyi`, checked},
	{NationalID, `9999999999999`, cnp, `cnp$|cod numeric`, checked},
	{NationalID, `9999999999`, egn, `егн|egn$|единен гражд`, checked},
	{NationalID, `99999999999`, oib, `oib$`, checked},
	{NationalID, `9999999999999`, jmbg, `jmbg|emšo|emso$|јмбг|ембг|matični|maticni|јединствени`, checked},
	{NationalID, `99999999`, davcna, `davčna|davcna`, checked},
	{NationalID, `9999999999`, ukrainian, `рнокпп|іпн|ідентифікаційн|rnokpp`, checked},
	{NationalID, `999-999-999 99|999-999-999-99|99999999999|999 999 999 99`, snils, `снилс|snils`, checked},
	{NationalID, `999999999999`, inn, `инн|inn$`, checked},
	{NationalID, `9999999A999AA9`, always, `личный номер|идентификац|асабісты|belarus|personal no|identification no`, weak},
	{NationalID, `99999999999`, turkish, `kimlik|tckn|t.c.`, checked},
	// The islands.
	{NationalID, `AA999999A|AA 99 99 99 A|AA-99-99-99-A|AA 999999 A|AA99 99 99A|AA 999999A|AA.99.99.99.A`, nino, `nino$|national insurance|ni num|ni no|n.i. n`, rare},
	{NationalID, `999_999_9999`, nhs, `nhs$|nhs-`, checked},
	{NationalID, `9999999999|99999 99999`, utr, `utr$|unique taxpayer|self assessment|self-assessment`, checked},
	{NationalID, `9999999A|9999999AA|9999999 A|9999999 AA`, irish, `pps$|ppsn|personal public|pps-`, checked},
}
